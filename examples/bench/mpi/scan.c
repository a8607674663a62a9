// Time of sums of floats over the ranks up to each, in place, with a barrier (not counted) after
// each.
#include "collective.h"

static double loop(char* sent, char* received, size_t bytes, int n) {
  const int count = (int)(bytes / sizeof(float));
  double seconds = 0;
  for (int i = 0; i < n; ++i) {
    double start = MPI_Wtime();
    MPI_Scan(MPI_IN_PLACE, sent, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    seconds += with_barrier_behind(start);
  }
  return seconds;
}

int main(int argc, char** argv) {
  return run_collective(argc, argv,
                        (collective){"Scan Latency Test", sizeof(float), 1, 1, loop, NULL, NULL});
}
