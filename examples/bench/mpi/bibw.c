// Bandwidth between rank 0 and rank 1 in both directions at once: windows of nonblocking sends and
// receives on both sides.
#include "common.h"

static void exchange(const settings* s, char* sent, char* received, size_t bytes,
                     MPI_Request* requests, int n) {
  char answer[4] = {0};
  int other = 1 - s->rank;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < s->window; ++k)
      MPI_Irecv(received, (int)bytes, MPI_CHAR, other, 100, MPI_COMM_WORLD, &requests[k]);
    for (int k = 0; k < s->window; ++k)
      MPI_Isend(sent, (int)bytes, MPI_CHAR, other, 100, MPI_COMM_WORLD, &requests[s->window + k]);
    MPI_Waitall(2 * s->window, requests, MPI_STATUSES_IGNORE);
    if (s->rank == 0) MPI_Recv(answer, 4, MPI_CHAR, 1, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else MPI_Send(answer, 4, MPI_CHAR, 0, 101, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  settings s = begin(&argc, &argv,
                     (settings){.min_bytes = 1,
                                .max_bytes = 4 << 20,
                                .iterations = 100,
                                .warm_up = 10,
                                .large_iterations = 20,
                                .large_warm_up = 2});
  char *sent = new_buffer(s.max_bytes), *received = new_buffer(s.max_bytes);
  MPI_Request* requests = malloc(2 * sizeof(MPI_Request) * (size_t)s.window);
  title(&s, "Bi-Directional Bandwidth Test", "# Size      Bandwidth (MB/s)");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes = next_size(bytes)) {
    int n = iterations_for(&s, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    if (s.rank > 1) continue;
    exchange(&s, sent, received, bytes, requests, warm_up_for(&s, bytes));
    double start = MPI_Wtime();
    exchange(&s, sent, received, bytes, requests, n);
    row(&s, bytes, 2.0 * (double)bytes * n * s.window / (MPI_Wtime() - start) / 1e6);
  }
  MPI_Finalize();
  return 0;
}
