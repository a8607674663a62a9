// Functions of mpi/environment.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(Session_finalize, MPI_Session*)
PEAL_MPI_UNSUPPORTED(Session_get_info, MPI_Session, MPI_Info*)
PEAL_MPI_UNSUPPORTED(Session_get_nth_pset, MPI_Session, MPI_Info, int, int*, char*)
PEAL_MPI_UNSUPPORTED(Session_get_num_psets, MPI_Session, MPI_Info, int*)
PEAL_MPI_UNSUPPORTED(Session_get_pset_info, MPI_Session, const char*, MPI_Info*)
PEAL_MPI_UNSUPPORTED(Session_init, MPI_Info, MPI_Errhandler, MPI_Session*)
