// How long MPI_Init takes, on the fastest rank, the slowest, and on average.
#include "common.h"

#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  double start = now();
  MPI_Init(&argc, &argv);
  double mine = (now() - start) * 1e3, least, most, sum;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Reduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("# MPI Init Test\nnprocs: %d, min: %.2f ms, max: %.2f ms, avg: %.2f ms\n", ranks, least,
           most, sum / ranks);
  MPI_Finalize();
  return 0;
}
