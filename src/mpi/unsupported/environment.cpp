// Functions of mpi/environment.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(Session_attach_buffer, MPI_Session, void*, int)
PEAL_MPI_UNSUPPORTED(Session_attach_buffer_c, MPI_Session, void*, MPI_Count)
PEAL_MPI_UNSUPPORTED(Session_detach_buffer, MPI_Session, void*, int*)
PEAL_MPI_UNSUPPORTED(Session_detach_buffer_c, MPI_Session, void*, MPI_Count*)
PEAL_MPI_UNSUPPORTED(Session_flush_buffer, MPI_Session)
PEAL_MPI_UNSUPPORTED(Session_iflush_buffer, MPI_Session, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Abi_get_fortran_booleans, int, void*, void*, int*)
PEAL_MPI_UNSUPPORTED(Abi_get_fortran_info, MPI_Info*)
PEAL_MPI_UNSUPPORTED(Abi_get_info, MPI_Info*)
PEAL_MPI_UNSUPPORTED(Abi_set_fortran_booleans, int, void*, void*)
PEAL_MPI_UNSUPPORTED(Abi_set_fortran_info, MPI_Info)
