/* job/mpi/told.h
 * An error handler that keeps the sentence that peal gives it behind the code. */
#ifndef PEAL_JOB_MPI_TOLD_H
#define PEAL_JOB_MPI_TOLD_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>

static char told[1000];

static void note(MPI_Comm* of, int* code, ...) {
  va_list rest;
  (void)of;
  va_start(rest, code);
  snprintf(told, sizeof told, "%s", va_arg(rest, const char*));
  va_end(rest);
}

#endif
