/* mpi/communicators.h
 * Communicators and groups. */
#ifndef PEAL_MPI_COMMUNICATORS_H
#define PEAL_MPI_COMMUNICATORS_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

PEAL_MPI(int, Comm_compare, MPI_Comm comm1, MPI_Comm comm2, int* result);
PEAL_MPI(int, Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm);
PEAL_MPI(int, Comm_create_from_group, MPI_Group group, const char* stringtag, MPI_Info info,
         MPI_Errhandler errhandler, MPI_Comm* newcomm);
PEAL_MPI(int, Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm);
PEAL_MPI(int, Comm_dup, MPI_Comm comm, MPI_Comm* newcomm);
PEAL_MPI(int, Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm);
PEAL_MPI(int, Comm_free, MPI_Comm* comm);
PEAL_MPI(int, Comm_get_info, MPI_Comm comm, MPI_Info* info_used);
PEAL_MPI(int, Comm_get_name, MPI_Comm comm, char* comm_name, int* resultlen);
PEAL_MPI(int, Comm_group, MPI_Comm comm, MPI_Group* group);
PEAL_MPI(int, Comm_idup, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request);
PEAL_MPI(int, Comm_idup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
         MPI_Request* request);
PEAL_MPI(int, Comm_rank, MPI_Comm comm, int* rank);
PEAL_MPI(int, Comm_remote_group, MPI_Comm comm, MPI_Group* group);
PEAL_MPI(int, Comm_remote_size, MPI_Comm comm, int* size);
PEAL_MPI(int, Comm_set_info, MPI_Comm comm, MPI_Info info);
PEAL_MPI(int, Comm_set_name, MPI_Comm comm, const char* comm_name);
PEAL_MPI(int, Comm_size, MPI_Comm comm, int* size);
PEAL_MPI(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* newcomm);
PEAL_MPI(int, Comm_split_type, MPI_Comm comm, int split_type, int key, MPI_Info info,
         MPI_Comm* newcomm);
PEAL_MPI(int, Comm_test_inter, MPI_Comm comm, int* flag);
PEAL_MPI(int, Intercomm_create, MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
         int remote_leader, int tag, MPI_Comm* newintercomm);
PEAL_MPI(int, Intercomm_create_from_groups, MPI_Group local_group, int local_leader,
         MPI_Group remote_group, int remote_leader, const char* stringtag, MPI_Info info,
         MPI_Errhandler errhandler, MPI_Comm* newintercomm);
PEAL_MPI(int, Intercomm_merge, MPI_Comm intercomm, int high, MPI_Comm* newintracomm);
PEAL_MPI(int, Group_compare, MPI_Group group1, MPI_Group group2, int* result);
PEAL_MPI(int, Group_difference, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup);
PEAL_MPI(int, Group_excl, MPI_Group group, int n, const int ranks[], MPI_Group* newgroup);
PEAL_MPI(int, Group_free, MPI_Group* group);
PEAL_MPI(int, Group_from_session_pset, MPI_Session session, const char* pset_name,
         MPI_Group* newgroup);
PEAL_MPI(int, Group_incl, MPI_Group group, int n, const int ranks[], MPI_Group* newgroup);
PEAL_MPI(int, Group_intersection, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup);
PEAL_MPI(int, Group_range_excl, MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup);
PEAL_MPI(int, Group_range_incl, MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup);
PEAL_MPI(int, Group_rank, MPI_Group group, int* rank);
PEAL_MPI(int, Group_size, MPI_Group group, int* size);
PEAL_MPI(int, Group_translate_ranks, MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
         int ranks2[]);
PEAL_MPI(int, Group_union, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup);

#ifdef __cplusplus
}
#endif

#endif
