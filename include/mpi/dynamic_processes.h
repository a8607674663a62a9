/* mpi/dynamic_processes.h
 * Processes that are started, or met, later. None of these is supported: they give
 * MPI_ERR_UNSUPPORTED_OPERATION. */
#ifndef PEAL_MPI_DYNAMIC_PROCESSES_H
#define PEAL_MPI_DYNAMIC_PROCESSES_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

PEAL_MPI(int, Close_port, const char* port_name);
PEAL_MPI(int, Comm_accept, const char* port_name, MPI_Info info, int root, MPI_Comm comm,
         MPI_Comm* newcomm);
PEAL_MPI(int, Comm_connect, const char* port_name, MPI_Info info, int root, MPI_Comm comm,
         MPI_Comm* newcomm);
PEAL_MPI(int, Comm_disconnect, MPI_Comm* comm);
PEAL_MPI(int, Comm_get_parent, MPI_Comm* parent);
PEAL_MPI(int, Comm_join, int fd, MPI_Comm* intercomm);
PEAL_MPI(int, Comm_spawn, const char* command, char* argv[], int maxprocs, MPI_Info info, int root,
         MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]);
PEAL_MPI(int, Comm_spawn_multiple, int count, char* array_of_commands[], char** array_of_argv[],
         const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm,
         MPI_Comm* intercomm, int array_of_errcodes[]);
PEAL_MPI(int, Lookup_name, const char* service_name, MPI_Info info, char* port_name);
PEAL_MPI(int, Open_port, MPI_Info info, char* port_name);
PEAL_MPI(int, Publish_name, const char* service_name, MPI_Info info, const char* port_name);
PEAL_MPI(int, Unpublish_name, const char* service_name, MPI_Info info, const char* port_name);

#ifdef __cplusplus
}
#endif

#endif
