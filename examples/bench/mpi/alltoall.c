// Time of an exchange of blocks between all ranks, called back to back.
#include "collective.h"

static double loop(char* sent, char* received, size_t bytes, int n) {
  const int count = (int)bytes;
  double start = MPI_Wtime();
  for (int i = 0; i < n; ++i)
    MPI_Alltoall(sent, count, MPI_CHAR, received, count, MPI_CHAR, MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

int main(int argc, char** argv) {
  return run_collective(argc, argv,
                        (collective){"Alltoall Latency Test", 1, 0, 0, loop, NULL, NULL});
}
