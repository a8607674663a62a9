// Time of a sum of floats over all ranks at rank 0, with a barrier (not counted) after each.
#include "collective.h"

static double loop(char* sent, char* received, size_t bytes, int n) {
  const int count = (int)(bytes / sizeof(float));
  double seconds = 0;
  for (int i = 0; i < n; ++i) {
    double start = MPI_Wtime();
    MPI_Reduce(sent, received, count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    seconds += with_barrier_behind(start);
  }
  return seconds;
}

int main(int argc, char** argv) {
  return run_collective(argc, argv,
                        (collective){"Reduce Latency Test", sizeof(float), 1, 1, loop, NULL, NULL});
}
