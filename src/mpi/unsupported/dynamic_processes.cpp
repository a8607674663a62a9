// Functions of mpi/dynamic_processes.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(Close_port, const char*)
PEAL_MPI_UNSUPPORTED(Comm_accept, const char*, MPI_Info, int, MPI_Comm, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Comm_connect, const char*, MPI_Info, int, MPI_Comm, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Comm_join, int, MPI_Comm*)
PEAL_MPI_UNSUPPORTED(Comm_spawn, const char*, char**, int, MPI_Info, int, MPI_Comm, MPI_Comm*, int*)
PEAL_MPI_UNSUPPORTED(Comm_spawn_multiple, int, char**, char***, const int*, const MPI_Info*, int,
                     MPI_Comm, MPI_Comm*, int*)
PEAL_MPI_UNSUPPORTED(Lookup_name, const char*, MPI_Info, char*)
PEAL_MPI_UNSUPPORTED(Open_port, MPI_Info, char*)
PEAL_MPI_UNSUPPORTED(Publish_name, const char*, MPI_Info, const char*)
PEAL_MPI_UNSUPPORTED(Unpublish_name, const char*, MPI_Info, const char*)
