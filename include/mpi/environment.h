/* mpi/environment.h
 * Start and end, sessions, memory, time, error handlers, handles as integers. */
#ifndef PEAL_MPI_ENVIRONMENT_H
#define PEAL_MPI_ENVIRONMENT_H

#include "callbacks.h"
#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

PEAL_MPI(int, Abort, MPI_Comm comm, int errorcode);
PEAL_MPI(int, Alloc_mem, MPI_Aint size, MPI_Info info, void* baseptr);
PEAL_MPI(int, Finalize, void);
PEAL_MPI(int, Finalized, int* flag);
PEAL_MPI(int, Free_mem, void* base);
PEAL_MPI(int, Get_hw_resource_info, MPI_Info* hw_info);
PEAL_MPI(int, Get_library_version, char* version, int* resultlen);
PEAL_MPI(int, Get_processor_name, char* name, int* resultlen);
PEAL_MPI(int, Get_version, int* version, int* subversion);
PEAL_MPI(int, Init, int* argc, char*** argv);
PEAL_MPI(int, Init_thread, int* argc, char*** argv, int required, int* provided);
PEAL_MPI(int, Initialized, int* flag);
PEAL_MPI(int, Is_thread_main, int* flag);
PEAL_MPI(int, Pcontrol, const int level, ...);
PEAL_MPI(int, Query_thread, int* provided);
PEAL_MPI(int, Session_attach_buffer, MPI_Session session, void* buffer, int size);
PEAL_MPI(int, Session_attach_buffer_c, MPI_Session session, void* buffer, MPI_Count size);
PEAL_MPI(int, Session_detach_buffer, MPI_Session session, void* buffer_addr, int* size);
PEAL_MPI(int, Session_detach_buffer_c, MPI_Session session, void* buffer_addr, MPI_Count* size);
PEAL_MPI(int, Session_finalize, MPI_Session* session);
PEAL_MPI(int, Session_flush_buffer, MPI_Session session);
PEAL_MPI(int, Session_get_info, MPI_Session session, MPI_Info* info_used);
PEAL_MPI(int, Session_get_nth_pset, MPI_Session session, MPI_Info info, int n, int* pset_len,
         char* pset_name);
PEAL_MPI(int, Session_get_num_psets, MPI_Session session, MPI_Info info, int* npset_names);
PEAL_MPI(int, Session_get_pset_info, MPI_Session session, const char* pset_name, MPI_Info* info);
PEAL_MPI(int, Session_iflush_buffer, MPI_Session session, MPI_Request* request);
PEAL_MPI(int, Session_init, MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session);
PEAL_MPI(double, Wtick, void);
PEAL_MPI(double, Wtime, void);
PEAL_MPI(int, Add_error_class, int* errorclass);
PEAL_MPI(int, Add_error_code, int errorclass, int* errorcode);
PEAL_MPI(int, Add_error_string, int errorcode, const char* string);
PEAL_MPI(int, Comm_call_errhandler, MPI_Comm comm, int errorcode);
PEAL_MPI(int, Comm_create_errhandler, MPI_Comm_errhandler_function* comm_errhandler_fn,
         MPI_Errhandler* errhandler);
PEAL_MPI(int, Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler* errhandler);
PEAL_MPI(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler);
PEAL_MPI(int, Errhandler_free, MPI_Errhandler* errhandler);
PEAL_MPI(int, Error_class, int errorcode, int* errorclass);
PEAL_MPI(int, Error_string, int errorcode, char* string, int* resultlen);
PEAL_MPI(int, Remove_error_class, int errorclass);
PEAL_MPI(int, Remove_error_code, int errorcode);
PEAL_MPI(int, Remove_error_string, int errorcode);
PEAL_MPI(int, Session_call_errhandler, MPI_Session session, int errorcode);
PEAL_MPI(int, Session_create_errhandler, MPI_Session_errhandler_function* session_errhandler_fn,
         MPI_Errhandler* errhandler);
PEAL_MPI(int, Session_get_errhandler, MPI_Session session, MPI_Errhandler* errhandler);
PEAL_MPI(int, Session_set_errhandler, MPI_Session session, MPI_Errhandler errhandler);
PEAL_MPI(int, Abi_get_fortran_booleans, int logical_size, void* logical_true, void* logical_false,
         int* is_set);
PEAL_MPI(int, Abi_get_fortran_info, MPI_Info* info);
PEAL_MPI(int, Abi_get_info, MPI_Info* info);
PEAL_MPI(int, Abi_get_version, int* abi_major, int* abi_minor);
PEAL_MPI(int, Abi_set_fortran_booleans, int logical_size, void* logical_true, void* logical_false);
PEAL_MPI(int, Abi_set_fortran_info, MPI_Info info);
PEAL_MPI(MPI_Comm, Comm_fromint, int comm);
PEAL_MPI(int, Comm_toint, MPI_Comm comm);
PEAL_MPI(MPI_Errhandler, Errhandler_fromint, int errhandler);
PEAL_MPI(int, Errhandler_toint, MPI_Errhandler errhandler);
PEAL_MPI(MPI_Group, Group_fromint, int group);
PEAL_MPI(int, Group_toint, MPI_Group group);
PEAL_MPI(MPI_Info, Info_fromint, int info);
PEAL_MPI(int, Info_toint, MPI_Info info);
PEAL_MPI(MPI_Message, Message_fromint, int message);
PEAL_MPI(int, Message_toint, MPI_Message message);
PEAL_MPI(MPI_Op, Op_fromint, int op);
PEAL_MPI(int, Op_toint, MPI_Op op);
PEAL_MPI(MPI_Request, Request_fromint, int request);
PEAL_MPI(int, Request_toint, MPI_Request request);
PEAL_MPI(MPI_Session, Session_fromint, int session);
PEAL_MPI(int, Session_toint, MPI_Session session);
PEAL_MPI(MPI_Datatype, Type_fromint, int datatype);
PEAL_MPI(int, Type_toint, MPI_Datatype datatype);

#ifdef __cplusplus
}
#endif

#endif
