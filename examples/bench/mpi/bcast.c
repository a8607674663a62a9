// Time of a broadcast from rank 0, with a barrier (not counted) after each, so that the root does not run ahead.
#include "common.h"

static double loop(char* buffer, size_t bytes, int n) {
  double seconds = 0;
  for (int i = 0; i < n; ++i) {
    double start = MPI_Wtime();
    MPI_Bcast(buffer, (int)bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    seconds += MPI_Wtime() - start;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return seconds;
}

int main(int argc, char** argv) {
  settings s = begin(
      &argc, &argv,
      (settings){.min_bytes = 1, .max_bytes = 1 << 20, .iterations = 1000, .warm_up = 200, .large_iterations = 100, .large_warm_up = 10});
  char* buffer = new_buffer(s.max_bytes);
  title(&s, "Broadcast Latency Test", "# Size       Avg Latency(us)");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes = next_size(bytes)) {
    int n = iterations_for(&s, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    loop(buffer, bytes, warm_up_for(&s, bytes));
    row(&s, bytes, mean(&s, loop(buffer, bytes, n) * 1e6 / n));
  }
  MPI_Finalize();
  return 0;
}
