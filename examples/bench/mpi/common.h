// The loops of peal's benchmarks, in C for MPI: options, sizes, timing and tables that all of them
// share. The options and the iteration counts are those of ../common.hpp; a loop here does what the
// program of the same name there does, so that only the library differs.
#ifndef PEAL_BENCH_MPI_COMMON_H
#define PEAL_BENCH_MPI_COMMON_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { large_bytes = 8192 };  // longer messages get the smaller counts, as in the OSU benchmarks

typedef struct {
  size_t min_bytes, max_bytes;
  int iterations, warm_up;              // up to large_bytes
  int large_iterations, large_warm_up;  // above
  int window;
  int full;     // the least of 20 parts as well
  size_t step;  // each size so many times the one before
  // seconds for each size, by which the iterations of a collective are chosen; 0: as many as asked
  // for
  double budget;
  int threads;       // 0: the program has one
  int with_barrier;  // count the barrier behind each call as well
  int rank, ranks;
} settings;

static inline size_t bytes_of(const char* text) {
  char* end;
  size_t value = strtoull(text, &end, 10);
  if (*end == 'K' || *end == 'k') value <<= 10;
  if (*end == 'M' || *end == 'm') value <<= 20;
  if (*end == 'G' || *end == 'g') value <<= 30;
  return value;
}

// Starts MPI and reads -m min:max -i iterations -x warm-up -W window -f -s step -b milliseconds -t
// threads -B over the defaults given.
static inline settings begin(int* argc, char*** argv, settings s) {
  int provided = MPI_THREAD_SINGLE, needed = s.threads == 0 ? provided : MPI_THREAD_MULTIPLE;
  MPI_Init_thread(argc, argv, needed, &provided);
  if (provided < needed) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  if (s.window == 0) s.window = 64;
  if (s.step == 0) s.step = 2;
  int option;
  while ((option = getopt(*argc, *argv, "m:i:x:W:fs:b:t:B")) != -1) {
    char* colon;
    switch (option) {
      case 'm':
        colon = strchr(optarg, ':');
        if (colon == NULL || colon != optarg)
          s.min_bytes = colon == NULL ? s.min_bytes : bytes_of(optarg);
        if (colon == NULL || colon[1] != '\0')
          s.max_bytes = bytes_of(colon == NULL ? optarg : colon + 1);
        break;
      case 'i': s.iterations = s.large_iterations = atoi(optarg); break;
      case 'x': s.warm_up = s.large_warm_up = atoi(optarg); break;
      case 'W': s.window = atoi(optarg); break;
      case 'f': s.full = 1; break;
      case 'B': s.with_barrier = 1; break;
      case 't': s.threads = atoi(optarg); break;
      case 's': s.step = strtoull(optarg, NULL, 10); break;
      case 'b': s.budget = atof(optarg) / 1e3; break;
      default: MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  return s;
}

static inline int iterations_for(const settings* s, size_t bytes) {
  return bytes > large_bytes ? s->large_iterations : s->iterations;
}
static inline int warm_up_for(const settings* s, size_t bytes) {
  return bytes > large_bytes ? s->large_warm_up : s->warm_up;
}
// 0, 1, 2, 4, ...
static inline size_t next_size(size_t bytes) { return bytes == 0 ? 1 : bytes * 2; }

// Page-aligned and touched.
static inline char* new_buffer(size_t bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, bytes == 0 ? 1 : bytes) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(memory, 0, bytes);
  return memory;
}

static inline void wrong(const settings* s) {
  fprintf(stderr, "rank %d: what arrived is wrong\n", s->rank);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline void need_even_ranks(const settings* s) {
  if (s->ranks % 2 == 0) return;
  if (s->rank == 0) fprintf(stderr, "this benchmark needs an even number of ranks\n");
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static inline void title(const settings* s, const char* text, const char* columns) {
  if (s->rank != 0) return;
  printf("# MPI %s\n%s\n", text, columns);
  fflush(stdout);
}
static inline void full_row(const settings* s, size_t bytes, double value, double least) {
  if (s->rank != 0) return;
  printf("%-10zu%18.3f%18.3f\n", bytes, value, least);
  fflush(stdout);
}
static inline void row(const settings* s, size_t bytes, double value) {
  if (s->rank != 0) return;
  printf("%-10zu%18.3f\n", bytes, value);
  fflush(stdout);
}

// Mean over the ranks of what each has measured.
static inline double mean(const settings* s, double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / s->ranks;
}

#endif
