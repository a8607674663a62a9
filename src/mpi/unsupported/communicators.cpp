// Functions of mpi/communicators.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(Comm_create_from_group, MPI_Group, const char*, MPI_Info, MPI_Errhandler,
                     MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Comm_create_group, MPI_Comm, MPI_Group, int, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Comm_dup_with_info, MPI_Comm, MPI_Info, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Comm_get_info, MPI_Comm, MPI_Info*)
PEAL_MPI_UNSUPPORTED(Comm_idup, MPI_Comm, MPI_Comm*, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Comm_idup_with_info, MPI_Comm, MPI_Info, MPI_Comm*, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Comm_remote_group, MPI_Comm, MPI_Group*)
PEAL_MPI_UNSUPPORTED(Comm_remote_size, MPI_Comm, int*)
PEAL_MPI_UNSUPPORTED(Comm_set_info, MPI_Comm, MPI_Info)
PEAL_MPI_UNSUPPORTED(Intercomm_create, MPI_Comm, int, MPI_Comm, int, int, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Intercomm_create_from_groups, MPI_Group, int, MPI_Group, int, const char*,
                     MPI_Info, MPI_Errhandler, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Intercomm_merge, MPI_Comm, int, MPI_Comm*)
