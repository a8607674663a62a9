/* mpi.h
 * The C interface of MPI 5.0 with its standard ABI: a program that was compiled with another header
 * of that ABI runs with this library, and the other way round.
 *
 * Errors   functions give an error class, after the error handler of the communicator (or window,
 *          file, session) was called; the first one ends the job.
 * Threads  as MPI_Init_thread says. */
#ifndef PEAL_MPI_H
#define PEAL_MPI_H

#include "mpi/attributes.h"
#include "mpi/callbacks.h"
#include "mpi/collectives.h"
#include "mpi/communicators.h"
#include "mpi/constants.h"
#include "mpi/datatypes.h"
#include "mpi/dynamic_processes.h"
#include "mpi/environment.h"
#include "mpi/files.h"
#include "mpi/fortran.h"
#include "mpi/handles.h"
#include "mpi/nonblocking_collectives.h"
#include "mpi/one_sided.h"
#include "mpi/persistent_collectives.h"
#include "mpi/point_to_point.h"
#include "mpi/requests.h"
#include "mpi/tools.h"
#include "mpi/tools_types.h"
#include "mpi/topologies.h"

#endif
