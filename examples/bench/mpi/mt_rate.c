// Message rate of several threads a rank that share a communicator and use tags of their own:
// without a hint, and where it is asserted that no receive takes any tag. One rank: each thread
// sends to itself; two: threads of rank 0 send to those of rank 1. -t: threads.
#include <pthread.h>

#include "common.h"

typedef struct {
  const settings* s;
  MPI_Comm on;
  int tag, windows;
  pthread_t thread;
} talker;

static void* talk(void* of) {
  const talker* me = of;
  const int window = me->s->window, alone = me->s->ranks == 1, sends = me->s->rank == 0;
  const int receives = alone || !sends, peer = alone ? 0 : 1 - me->s->rank;
  char out[8] = {0}, in[8], answer = 0;
  MPI_Request* requests = malloc(2 * sizeof(MPI_Request) * (size_t)window);
  for (int i = 0; i < me->windows; ++i) {
    int count = 0;
    for (int k = 0; receives && k < window; ++k)
      MPI_Irecv(in, 8, MPI_CHAR, peer, me->tag, me->on, &requests[count++]);
    for (int k = 0; sends && k < window; ++k)
      MPI_Isend(out, 8, MPI_CHAR, peer, me->tag, me->on, &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    if (!sends) MPI_Send(&answer, 1, MPI_CHAR, peer, me->tag + 1, me->on);
    if (!receives) MPI_Recv(&answer, 1, MPI_CHAR, peer, me->tag + 1, me->on, MPI_STATUS_IGNORE);
  }
  free(requests);
  return NULL;
}

// Messages a second of all threads.
static double rate(const settings* s, MPI_Comm on, int windows) {
  talker all[64];
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int each = 0; each < s->threads; ++each) {
    all[each] = (talker){.s = s, .on = on, .tag = 2 * each, .windows = windows};
    if (pthread_create(&all[each].thread, NULL, talk, &all[each]) != 0)
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int each = 0; each < s->threads; ++each) pthread_join(all[each].thread, NULL);
  const double seconds = mean(s, MPI_Wtime() - start);
  return (double)windows * s->window * s->threads / seconds;
}

int main(int argc, char** argv) {
  settings s = begin(&argc, &argv, (settings){.iterations = 20000, .warm_up = 200, .threads = 2});
  if (s.ranks > 2 || s.threads > 64) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm plain, named;
  MPI_Info hint;
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  MPI_Info_create(&hint);
  MPI_Info_set(hint, "mpi_assert_no_any_tag", "true");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, hint, &named);
  MPI_Info_free(&hint);
  rate(&s, plain, s.warm_up);
  rate(&s, named, s.warm_up);
  const double without = rate(&s, plain, s.iterations), with = rate(&s, named, s.iterations);
  title(&s, "Multi-threaded Message Rate Test, 8 bytes",
        "# Threads   Without a hint(M/s)   mpi_assert_no_any_tag(M/s)");
  if (s.rank == 0) printf("%-10d%21.3f%29.3f\n", s.threads, without / 1e6, with / 1e6);
  MPI_Comm_free(&plain);
  MPI_Comm_free(&named);
  MPI_Finalize();
  return 0;
}
