// Functions of mpi/point_to_point.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(Buffer_iflush, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Comm_attach_buffer, MPI_Comm, void*, int)
PEAL_MPI_UNSUPPORTED(Comm_attach_buffer_c, MPI_Comm, void*, MPI_Count)
PEAL_MPI_UNSUPPORTED(Comm_detach_buffer, MPI_Comm, void*, int*)
PEAL_MPI_UNSUPPORTED(Comm_detach_buffer_c, MPI_Comm, void*, MPI_Count*)
PEAL_MPI_UNSUPPORTED(Comm_flush_buffer, MPI_Comm)
PEAL_MPI_UNSUPPORTED(Comm_iflush_buffer, MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Isendrecv, const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype,
                     int, int, MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Isendrecv_c, const void*, MPI_Count, MPI_Datatype, int, int, void*, MPI_Count,
                     MPI_Datatype, int, int, MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Isendrecv_replace, void*, int, MPI_Datatype, int, int, int, int, MPI_Comm,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Isendrecv_replace_c, void*, MPI_Count, MPI_Datatype, int, int, int, int,
                     MPI_Comm, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Parrived, MPI_Request, int, int*)
PEAL_MPI_UNSUPPORTED(Pready, int, MPI_Request)
PEAL_MPI_UNSUPPORTED(Pready_list, int, const int*, MPI_Request)
PEAL_MPI_UNSUPPORTED(Pready_range, int, int, MPI_Request)
PEAL_MPI_UNSUPPORTED(Precv_init, void*, int, int, MPI_Datatype, int, int, MPI_Comm, MPI_Info,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Precv_init_c, void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
                     MPI_Info, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Psend_init, const void*, int, int, MPI_Datatype, int, int, MPI_Comm, MPI_Info,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(Psend_init_c, const void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
                     MPI_Info, MPI_Request*)
