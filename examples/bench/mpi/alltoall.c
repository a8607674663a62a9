// Time of an exchange of blocks between all ranks, called back to back.
#include "common.h"

static void loop(char* sent, char* received, size_t bytes, int n) {
  for (int i = 0; i < n; ++i) MPI_Alltoall(sent, (int)bytes, MPI_CHAR, received, (int)bytes, MPI_CHAR, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  settings s = begin(
      &argc, &argv,
      (settings){.min_bytes = 1, .max_bytes = 1 << 20, .iterations = 1000, .warm_up = 200, .large_iterations = 100, .large_warm_up = 10});
  char *sent = new_buffer(s.max_bytes * (size_t)s.ranks), *received = new_buffer(s.max_bytes * (size_t)s.ranks);
  title(&s, "Alltoall Latency Test", "# Size       Avg Latency(us)");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes = next_size(bytes)) {
    int n = iterations_for(&s, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    loop(sent, received, bytes, warm_up_for(&s, bytes));
    double start = MPI_Wtime();
    loop(sent, received, bytes, n);
    row(&s, bytes, mean(&s, (MPI_Wtime() - start) * 1e6 / n));
  }
  MPI_Finalize();
  return 0;
}
