/* job/mpi/support.h
 * What the programs of MPI's C interface share: a check that ends the job with the line. */
#ifndef PEAL_JOB_MPI_SUPPORT_H
#define PEAL_JOB_MPI_SUPPORT_H

#include <mpi.h>
#include <stdio.h>

#define CHECK(holds)                                                             \
  do {                                                                           \
    if (!(holds)) {                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                              \
    }                                                                            \
  } while (0)

#endif
