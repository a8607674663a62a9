// Time of a sum of floats over all ranks, called back to back.
#include "common.h"

static void loop(char* sent, char* received, size_t bytes, int n) {
  for (int i = 0; i < n; ++i) MPI_Allreduce(sent, received, (int)(bytes / sizeof(float)), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  settings s = begin(&argc, &argv,
                     (settings){.min_bytes = sizeof(float),
                                .max_bytes = 1 << 20,
                                .iterations = 1000,
                                .warm_up = 200,
                                .large_iterations = 100,
                                .large_warm_up = 10});
  char *sent = new_buffer(s.max_bytes), *received = new_buffer(s.max_bytes);
  title(&s, "Allreduce Latency Test", "# Size       Avg Latency(us)");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes = next_size(bytes)) {
    int n = iterations_for(&s, bytes);
    for (size_t i = 0; i < bytes / sizeof(float); ++i) ((float*)sent)[i] = (float)(s.rank + 1 + i % 3);
    MPI_Barrier(MPI_COMM_WORLD);
    loop(sent, received, bytes, warm_up_for(&s, bytes));
    double start = MPI_Wtime();
    loop(sent, received, bytes, n);
    double took = (MPI_Wtime() - start) * 1e6 / n;
    for (size_t i = 0; i < bytes / sizeof(float); ++i)
      if (((float*)received)[i] != (float)(s.ranks * (s.ranks + 1) / 2 + s.ranks * (int)(i % 3))) wrong(&s);
    row(&s, bytes, mean(&s, took));
  }
  MPI_Finalize();
  return 0;
}
