// Time of a sum of floats over all ranks, called back to back.
#include "collective.h"

static double loop(char* sent, char* received, size_t bytes, int n) {
  const int count = (int)(bytes / sizeof(float));
  double start = MPI_Wtime();
  for (int i = 0; i < n; ++i)
    MPI_Allreduce(sent, received, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

static void fill(const settings* s, char* sent, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof(float); ++i)
    ((float*)sent)[i] = (float)(s->rank + 1 + i % 3);
}

static int good(const settings* s, const char* received, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof(float); ++i)
    if (((const float*)received)[i] !=
        (float)(s->ranks * (s->ranks + 1) / 2 + s->ranks * (int)(i % 3)))
      return 0;
  return 1;
}

int main(int argc, char** argv) {
  return run_collective(
      argc, argv, (collective){"Allreduce Latency Test", sizeof(float), 1, 1, loop, fill, good});
}
