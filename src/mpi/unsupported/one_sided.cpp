// Functions of mpi/one_sided.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(Accumulate, const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
                     MPI_Op, MPI_Win)
PEAL_MPI_UNSUPPORTED(Accumulate_c, const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                     MPI_Datatype, MPI_Op, MPI_Win)
PEAL_MPI_UNSUPPORTED(Compare_and_swap, const void*, const void*, void*, MPI_Datatype, int, MPI_Aint,
                     MPI_Win)
PEAL_MPI_UNSUPPORTED(Fetch_and_op, const void*, void*, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win)
PEAL_MPI_UNSUPPORTED(Get, void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win)
PEAL_MPI_UNSUPPORTED(Get_c, void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
                     MPI_Win)
PEAL_MPI_UNSUPPORTED(Get_accumulate, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int,
                     MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win)
PEAL_MPI_UNSUPPORTED(Get_accumulate_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win)
PEAL_MPI_UNSUPPORTED(Put, const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win)
PEAL_MPI_UNSUPPORTED(Put_c, const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                     MPI_Datatype, MPI_Win)
PEAL_MPI_UNSUPPORTED(Raccumulate, const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
                     MPI_Op, MPI_Win, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Raccumulate_c, const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                     MPI_Datatype, MPI_Op, MPI_Win, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Rget, void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Rget_c, void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
                     MPI_Win, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Rget_accumulate, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int,
                     MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Rget_accumulate_c, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                     MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Rput, const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
                     MPI_Win, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Rput_c, const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                     MPI_Datatype, MPI_Win, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Win_allocate, MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*)
PEAL_MPI_UNSUPPORTED(Win_allocate_c, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void*, MPI_Win*)
PEAL_MPI_UNSUPPORTED(Win_allocate_shared, MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*)
PEAL_MPI_UNSUPPORTED(Win_allocate_shared_c, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void*, MPI_Win*)
PEAL_MPI_UNSUPPORTED(Win_attach, MPI_Win, void*, MPI_Aint)
PEAL_MPI_UNSUPPORTED(Win_complete, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_create, void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*)
PEAL_MPI_UNSUPPORTED(Win_create_c, void*, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, MPI_Win*)
PEAL_MPI_UNSUPPORTED(Win_create_dynamic, MPI_Info, MPI_Comm, MPI_Win*)
PEAL_MPI_UNSUPPORTED(Win_create_keyval, MPI_Win_copy_attr_function*, MPI_Win_delete_attr_function*,
                     int*, void*)
PEAL_MPI_UNSUPPORTED(Win_delete_attr, MPI_Win, int)
PEAL_MPI_UNSUPPORTED(Win_detach, MPI_Win, const void*)
PEAL_MPI_UNSUPPORTED(Win_fence, int, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_flush, int, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_flush_all, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_flush_local, int, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_flush_local_all, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_free, MPI_Win*)
PEAL_MPI_UNSUPPORTED(Win_free_keyval, int*)
PEAL_MPI_UNSUPPORTED(Win_get_attr, MPI_Win, int, void*, int*)
PEAL_MPI_UNSUPPORTED(Win_get_group, MPI_Win, MPI_Group*)
PEAL_MPI_UNSUPPORTED(Win_get_info, MPI_Win, MPI_Info*)
PEAL_MPI_UNSUPPORTED(Win_get_name, MPI_Win, char*, int*)
PEAL_MPI_UNSUPPORTED(Win_lock, int, int, int, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_lock_all, int, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_post, MPI_Group, int, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_set_attr, MPI_Win, int, void*)
PEAL_MPI_UNSUPPORTED(Win_set_info, MPI_Win, MPI_Info)
PEAL_MPI_UNSUPPORTED(Win_set_name, MPI_Win, const char*)
PEAL_MPI_UNSUPPORTED(Win_shared_query, MPI_Win, int, MPI_Aint*, int*, void*)
PEAL_MPI_UNSUPPORTED(Win_shared_query_c, MPI_Win, int, MPI_Aint*, MPI_Aint*, void*)
PEAL_MPI_UNSUPPORTED(Win_start, MPI_Group, int, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_sync, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_test, MPI_Win, int*)
PEAL_MPI_UNSUPPORTED(Win_unlock, int, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_unlock_all, MPI_Win)
PEAL_MPI_UNSUPPORTED(Win_wait, MPI_Win)
