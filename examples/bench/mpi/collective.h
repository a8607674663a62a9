// What the loops of collectives share, as ../collective.hpp: sizes, how often, and the table.
#ifndef PEAL_BENCH_MPI_COLLECTIVE_H
#define PEAL_BENCH_MPI_COLLECTIVE_H

#include "common.h"

// Makes n calls and says how many seconds they took.
typedef double (*loop_function)(char* sent, char* received, size_t bytes, int n);

typedef struct {
  const char* name;
  size_t least;  // the smallest size
  // how many blocks of the size a rank gives and gets; 0: as many as there are ranks
  size_t given, taken;
  loop_function loop;
  void (*fill)(const settings*, char* sent, size_t bytes);  // may be NULL
  int (*good)(const settings*, const char* received, size_t bytes);
} collective;

static int counts_barriers = 0;

// Ends a call that began at `start` with a barrier, so that no rank runs ahead: its seconds, with
// those of the barrier where they count.
static inline double with_barrier_behind(double start) {
  double took = MPI_Wtime() - start;
  MPI_Barrier(MPI_COMM_WORLD);
  return counts_barriers ? MPI_Wtime() - start : took;
}

// Seconds for n calls, of the slowest rank.
static inline double timed(size_t bytes, char* sent, char* received, int n, loop_function loop) {
  double start = MPI_Wtime();
  loop(sent, received, bytes, n);
  double took = MPI_Wtime() - start, all = 0;
  MPI_Allreduce(&took, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

// How often to make the call: as the options say, or so often that it takes the time given. Some
// calls are made on the way.
static inline int planned(const settings* s, size_t bytes, char* sent, char* received,
                          loop_function loop) {
  const int most_warm_up = 100, most = 1 << 20;
  if (s->budget <= 0) {
    loop(sent, received, bytes, warm_up_for(s, bytes));
    return iterations_for(s, bytes);
  }
  double warm_up = 0;
  for (int n = 0; n != most_warm_up && warm_up < 16 * s->budget; ++n)
    warm_up += timed(bytes, sent, received, 1, loop);
  for (int n = 1;; n *= 4) {
    double all = timed(bytes, sent, received, n, loop);
    if (all < s->budget / 8 && n < most) continue;
    double wanted = n * s->budget / all;
    return wanted < 1 ? 1 : wanted > most ? most : (int)wanted;
  }
}

// main of such a program.
static inline int run_collective(int argc, char** argv, collective c) {
  settings s = begin(&argc, &argv,
                     (settings){.min_bytes = c.least,
                                .max_bytes = 1 << 20,
                                .iterations = 1000,
                                .warm_up = 200,
                                .large_iterations = 100,
                                .large_warm_up = 10});
  counts_barriers = s.with_barrier;
  size_t given = c.given == 0 ? (size_t)s.ranks : c.given,
         taken = c.taken == 0 ? (size_t)s.ranks : c.taken;
  char *sent = new_buffer(s.max_bytes * given), *received = new_buffer(s.max_bytes * taken);
  title(&s, c.name, "# Size       Avg Latency(us)");
  for (size_t bytes = s.min_bytes; bytes <= s.max_bytes; bytes = bytes == 0 ? 1 : bytes * s.step) {
    if (c.fill != NULL) c.fill(&s, sent, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    int n = planned(&s, bytes, sent, received, c.loop);
    MPI_Barrier(MPI_COMM_WORLD);
    double took = c.loop(sent, received, bytes, n) * 1e6 / n;
    if (c.good != NULL && !c.good(&s, received, bytes)) wrong(&s);
    row(&s, bytes, mean(&s, took));
  }
  MPI_Finalize();
  return 0;
}

#endif
