// One-way latency of several pairs at once: rank i plays ping-pong with rank i + ranks / 2.
#include "common.h"

static void ping_pong(const settings* s, char* sent, char* received, size_t bytes, int n) {
  int half = s->ranks / 2;
  for (int i = 0; i < n; ++i) {
    if (s->rank < half) {
      MPI_Send(sent, (int)bytes, MPI_CHAR, s->rank + half, 1, MPI_COMM_WORLD);
      MPI_Recv(received, (int)bytes, MPI_CHAR, s->rank + half, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(received, (int)bytes, MPI_CHAR, s->rank - half, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      MPI_Send(sent, (int)bytes, MPI_CHAR, s->rank - half, 1, MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char** argv) {
  settings s = begin(&argc, &argv,
                     (settings){.min_bytes = 1,
                                .max_bytes = 4 << 20,
                                .iterations = 10000,
                                .warm_up = 200,
                                .large_iterations = 1000,
                                .large_warm_up = 10});
  need_even_ranks(&s);
  char *sent = new_buffer(s.max_bytes), *received = new_buffer(s.max_bytes);
  title(&s, "Multi-pair Latency Test", "# Size       Avg Latency(us)");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes = next_size(bytes)) {
    int n = iterations_for(&s, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    ping_pong(&s, sent, received, bytes, warm_up_for(&s, bytes));
    double start = MPI_Wtime();
    ping_pong(&s, sent, received, bytes, n);
    row(&s, bytes, mean(&s, (MPI_Wtime() - start) * 1e6 / (2.0 * n)));
  }
  MPI_Finalize();
  return 0;
}
