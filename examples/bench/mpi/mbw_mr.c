// Bandwidth and message rate of several pairs at once: rank i sends windows to rank i + ranks / 2.
#include "common.h"

static void stream(const settings* s, char* buffer, size_t bytes, MPI_Request* requests, int n) {
  char answer[4] = {0};
  int half = s->ranks / 2;
  for (int i = 0; i < n; ++i) {
    if (s->rank < half) {
      for (int k = 0; k < s->window; ++k)
        MPI_Isend(buffer, (int)bytes, MPI_CHAR, s->rank + half, 100, MPI_COMM_WORLD, &requests[k]);
      MPI_Waitall(s->window, requests, MPI_STATUSES_IGNORE);
      MPI_Recv(answer, 4, MPI_CHAR, s->rank + half, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      for (int k = 0; k < s->window; ++k)
        MPI_Irecv(buffer, (int)bytes, MPI_CHAR, s->rank - half, 100, MPI_COMM_WORLD, &requests[k]);
      MPI_Waitall(s->window, requests, MPI_STATUSES_IGNORE);
      MPI_Send(answer, 4, MPI_CHAR, s->rank - half, 101, MPI_COMM_WORLD);
    }
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
  need_even_ranks(&s);
  char* buffer = new_buffer(s.max_bytes);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)s.window);
  title(&s, "Multiple Bandwidth / Message Rate Test",
        "# Size                  MB/s        Messages/s");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes = next_size(bytes)) {
    int n = iterations_for(&s, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    stream(&s, buffer, bytes, requests, warm_up_for(&s, bytes));
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    stream(&s, buffer, bytes, requests, n);
    // of the senders
    double seconds = 2 * mean(&s, s.rank < s.ranks / 2 ? MPI_Wtime() - start : 0);
    double rate = (double)n * s.window * (s.ranks / 2) / seconds;
    if (s.rank == 0) printf("%-10zu%18.2f%18.2f\n", bytes, rate * (double)bytes / 1e6, rate);
    fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
