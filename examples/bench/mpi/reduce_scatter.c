// Time of a sum of floats of which each rank gets a block, called back to back; the size is a
// block's.
#include "collective.h"

static double loop(char* sent, char* received, size_t bytes, int n) {
  const int count = (int)(bytes / sizeof(float));
  double start = MPI_Wtime();
  for (int i = 0; i < n; ++i)
    MPI_Reduce_scatter_block(sent, received, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

int main(int argc, char** argv) {
  return run_collective(
      argc, argv,
      (collective){"Reduce_scatter Latency Test", sizeof(float), 0, 1, loop, NULL, NULL});
}
