// Functions of mpi/requests.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(Grequest_complete, MPI_Request)
PEAL_MPI_UNSUPPORTED(Grequest_start, MPI_Grequest_query_function*, MPI_Grequest_free_function*,
                     MPI_Grequest_cancel_function*, void*, MPI_Request*)
PEAL_MPI_UNSUPPORTED(Request_get_status_all, int, const MPI_Request*, int*, MPI_Status*)
PEAL_MPI_UNSUPPORTED(Request_get_status_any, int, const MPI_Request*, int*, int*, MPI_Status*)
PEAL_MPI_UNSUPPORTED(Request_get_status_some, int, const MPI_Request*, int*, int*, MPI_Status*)
