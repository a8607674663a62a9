// Bandwidth from rank 0 to rank 1: windows of nonblocking sends, each window answered by one short
// message.
#include "common.h"

static void stream(const settings* s, char* buffer, size_t bytes, MPI_Request* requests, int n) {
  char answer[4] = {0};
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < s->window; ++k) {
      if (s->rank == 0)
        MPI_Isend(buffer, (int)bytes, MPI_CHAR, 1, 100, MPI_COMM_WORLD, &requests[k]);
      else MPI_Irecv(buffer, (int)bytes, MPI_CHAR, 0, 100, MPI_COMM_WORLD, &requests[k]);
    }
    MPI_Waitall(s->window, requests, MPI_STATUSES_IGNORE);
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
  char* buffer = new_buffer(s.max_bytes);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)s.window);
  title(&s, "Bandwidth Test", "# Size      Bandwidth (MB/s)");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes = next_size(bytes)) {
    int n = iterations_for(&s, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    if (s.rank > 1) continue;
    stream(&s, buffer, bytes, requests, warm_up_for(&s, bytes));
    double start = MPI_Wtime();
    stream(&s, buffer, bytes, requests, n);
    row(&s, bytes, (double)bytes * n * s.window / (MPI_Wtime() - start) / 1e6);
  }
  MPI_Finalize();
  return 0;
}
