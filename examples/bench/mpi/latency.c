// One-way latency between two ranks: ping-pong of blocking sends and receives.
#include "common.h"

static void ping_pong(const settings* s, char* sent, char* received, size_t bytes, int n) {
  for (int i = 0; i < n; ++i) {
    if (s->rank == 0) {
      MPI_Send(sent, (int)bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(received, (int)bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (s->rank == 1) {
      MPI_Recv(received, (int)bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(sent, (int)bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
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
  char *sent = new_buffer(s.max_bytes), *received = new_buffer(s.max_bytes);
  title(&s, "Latency Test", "# Size       Avg Latency(us)");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes = next_size(bytes)) {
    int n = iterations_for(&s, bytes);
    memset(sent, s.rank + 1, bytes);
    memset(received, 0, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    ping_pong(&s, sent, received, bytes, warm_up_for(&s, bytes));
    // In parts, as -f of peal's benchmarks.
    double all = 0, least = 1e300;
    for (int part = 0, done = 0, parts = s.full && n >= 20 ? 20 : 1; part < parts; ++part) {
      int count = (n - done) / (parts - part);
      double start = MPI_Wtime();
      ping_pong(&s, sent, received, bytes, count);
      double took = (MPI_Wtime() - start) * 1e6 / 2;
      all += took;
      done += count;
      if (took / count < least) least = took / count;
    }
    for (size_t i = 0; i < bytes && s.rank < 2; ++i)
      if (received[i] != 2 - s.rank) wrong(&s);
    if (s.full) full_row(&s, bytes, all / n, least);
    else row(&s, bytes, all / n);
  }
  MPI_Finalize();
  return 0;
}
