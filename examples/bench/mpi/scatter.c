// Time of blocks of rank 0 for every rank, with a barrier (not counted) after each.
#include "collective.h"

static double loop(char* sent, char* received, size_t bytes, int n) {
  const int count = (int)bytes;
  double seconds = 0;
  for (int i = 0; i < n; ++i) {
    double start = MPI_Wtime();
    MPI_Scatter(sent, count, MPI_CHAR, received, count, MPI_CHAR, 0, MPI_COMM_WORLD);
    seconds += with_barrier_behind(start);
  }
  return seconds;
}

int main(int argc, char** argv) {
  return run_collective(argc, argv,
                        (collective){"Scatter Latency Test", 1, 0, 1, loop, NULL, NULL});
}
