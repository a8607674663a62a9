/* Persistent collectives by MPI's C interface: each kind, with other data at every start, in place
 * and with datatypes that have gaps; started in any order, and given back while they run. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { rounds = 3, most_ranks = 64, longest = 3000 };

static MPI_Comm comm;
static int rank, size, root;
static int* sent;
static int* received;
static int* expected;
static size_t cells;
static MPI_Datatype gapped; /* an int, and a gap as long as one */

static int value(int of, int element, int round) { return of * 100000 + element * 10 + round; }
static int sum(int ranks, int element, int round) { /* of the first ranks */
  int total = 0, each;
  for (each = 0; each < ranks; ++each) total += value(each, element, round);
  return total;
}
static void clear(void) {
  size_t each;
  for (each = 0; each < cells; ++each) sent[each] = received[each] = expected[each] = -1;
}
static void check_received(void) {
  CHECK(memcmp(received, expected, cells * sizeof *received) == 0);
}

/* Makes the request in the first round, then starts it and waits. */
#define GO(name, suffix, ...)                                                                \
  do {                                                                                       \
    if (round == 0) CHECK(!MPI_##name##_init##suffix(__VA_ARGS__, MPI_INFO_NULL, &request)); \
    CHECK(!MPI_Start(&request));                                                             \
    CHECK(!MPI_Wait(&request, MPI_STATUS_IGNORE) && request != MPI_REQUEST_NULL);            \
    if (round + 1 == rounds) CHECK(!MPI_Request_free(&request));                             \
  } while (0)

#define EITHER(name, ...)                 \
  do {                                    \
    if (large) GO(name, _c, __VA_ARGS__); \
    else GO(name, , __VA_ARGS__);         \
  } while (0)

/* Blocks of `count` elements whose memory has `step` ints for each. */
static void equal_blocks(int large, int count, int step) {
  const MPI_Datatype type = step == 1 ? MPI_INT : gapped;
  MPI_Request request = MPI_REQUEST_NULL;
  int round, each, of;
  for (round = 0; round < rounds; ++round) {
    clear();
    for (each = 0; each < count; ++each) {
      expected[each * step] = value(root, each, round);
      if (rank == root) received[each * step] = value(root, each, round);
    }
    EITHER(Bcast, received, count, type, root, comm);
    check_received();
  }
  for (round = 0; round < rounds; ++round) {
    clear();
    for (each = 0; each < count; ++each) sent[each * step] = value(rank, each, round);
    for (of = 0; rank == root && of < size; ++of)
      for (each = 0; each < count; ++each) expected[of * count + each] = value(of, each, round);
    EITHER(Gather, sent, count, type, received, count, MPI_INT, root, comm);
    check_received();
  }
  for (round = 0; round < rounds; ++round) {
    clear();
    for (each = 0; each < count * size; ++each) sent[each] = value(root, each, round);
    for (each = 0; each < count; ++each)
      expected[each * step] = value(root, rank * count + each, round);
    EITHER(Scatter, sent, count, MPI_INT, received, count, type, root, comm);
    check_received();
  }
  for (round = 0; round < rounds; ++round) { /* in place */
    clear();
    for (each = 0; each < count; ++each)
      received[(rank * count + each) * step] = value(rank, each, round);
    for (of = 0; of < size; ++of)
      for (each = 0; each < count; ++each)
        expected[(of * count + each) * step] = value(of, each, round);
    EITHER(Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received, count, type, comm);
    check_received();
  }
  for (round = 0; round < rounds; ++round) {
    clear();
    for (each = 0; each < count * size; ++each) sent[each * step] = value(rank, each, round);
    for (of = 0; of < size; ++of)
      for (each = 0; each < count; ++each)
        expected[of * count + each] = value(of, rank * count + each, round);
    EITHER(Alltoall, sent, count, type, received, count, MPI_INT, comm);
    check_received();
  }
  for (round = 0; round < rounds; ++round) {
    clear();
    for (each = 0; each < count * size; ++each) received[each * step] = value(rank, each, round);
    for (of = 0; of < size; ++of)
      for (each = 0; each < count; ++each)
        expected[(of * count + each) * step] = value(of, rank * count + each, round);
    EITHER(Alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received, count, type, comm);
    check_received();
  }
}

/* Rank r has a block of 1 + r elements, in reverse order of the ranks; of an exchange both ends say
 * how long what they exchange is. The arrays are written over once the request is made. */
#define ARRAYS(number, place, suffix)                                                            \
  static void varying_blocks##suffix(int step) {                                                 \
    const MPI_Datatype type = step == 1 ? MPI_INT : gapped;                                      \
    MPI_Request request = MPI_REQUEST_NULL;                                                      \
    number counts[most_ranks], equal[most_ranks];                                                \
    place places[most_ranks], bytes[most_ranks];                                                 \
    MPI_Datatype types[most_ranks];                                                              \
    int kind, round, of, each;                                                                   \
    for (kind = 0; kind < 6; ++kind)                                                             \
      for (round = 0; round < rounds; ++round) {                                                 \
        clear();                                                                                 \
        for (of = 0; of < size; ++of) {                                                          \
          counts[of] = round == 0 ? 1 + of : 0;                                                  \
          equal[of] = round == 0 ? 1 + rank + of : 0;                                            \
          places[of] = (place)(round == 0 ? (size - 1 - of) * 2 * size : -7);                    \
          bytes[of] = (place)(places[of] * (place)sizeof(int) * step);                           \
          types[of] = type;                                                                      \
        }                                                                                        \
        for (of = 0; of < size; ++of)                                                            \
          for (each = 0; each < 1 + rank + of; ++each) {                                         \
            const int at = ((size - 1 - of) * 2 * size + each) * step;                           \
            if (kind < 2 && each < 1 + of) expected[at] = value(of, each, round);                \
            if (kind == 2 && rank == root && each < 1 + of) sent[at] = value(of, each, round);   \
            if (kind > 2) expected[at] = value(of, rank * 1000 + each, round);                   \
            if (kind > 2) sent[at] = value(rank, of * 1000 + each, round);                       \
          }                                                                                      \
        if (kind < 2)                                                                            \
          for (each = 0; each < 1 + rank; ++each) sent[each] = value(rank, each, round);         \
        if (kind == 0 && rank != root) memset(expected, -1, cells * sizeof *expected);           \
        if (kind == 2)                                                                           \
          for (each = 0; each < 1 + rank; ++each) expected[each] = value(rank, each, round);     \
        if (kind == 5) memcpy(received, sent, cells * sizeof *sent);                             \
        if (kind == 0)                                                                           \
          GO(Gatherv, suffix, sent, 1 + rank, MPI_INT, received, counts, places, type, root,     \
             comm);                                                                              \
        if (kind == 1)                                                                           \
          GO(Allgatherv, suffix, sent, 1 + rank, MPI_INT, received, counts, places, type, comm); \
        if (kind == 2)                                                                           \
          GO(Scatterv, suffix, sent, counts, places, type, received, 1 + rank, MPI_INT, root,    \
             comm);                                                                              \
        if (kind == 3)                                                                           \
          GO(Alltoallv, suffix, sent, equal, places, type, received, equal, places, type, comm); \
        if (kind == 4)                                                                           \
          GO(Alltoallw, suffix, sent, equal, bytes, types, received, equal, bytes, types, comm); \
        if (kind == 5)                                                                           \
          GO(Alltoallv, suffix, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, received, equal,    \
             places, type, comm);                                                                \
        check_received();                                                                        \
      }                                                                                          \
  }
ARRAYS(int, int, )
ARRAYS(MPI_Count, MPI_Aint, _c)

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  const int step = *type == MPI_INT ? 1 : 2;
  const int* from = in;
  int *into = inout, each;
  for (each = 0; each < *count; ++each) into[each * step] += from[each * step];
}

static void vectors(int large, int count, int step) {
  const MPI_Datatype type = step == 1 ? MPI_INT : gapped;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Op op = MPI_SUM;
  int kind, round, each;
  if (step != 1) MPI_Op_create(add, 1, &op);
  for (kind = 0; kind < 5; ++kind)
    for (round = 0; round < rounds; ++round) {
      const int last = kind == 3 ? rank + 1 : kind == 4 ? rank : size;
      clear();
      for (each = 0; each < count; ++each) {
        (kind == 2 ? received : sent)[each * step] = value(rank, each, round);
        if (last > 0 && (kind != 0 || rank == root)) expected[each * step] = sum(last, each, round);
      }
      if (kind == 0) EITHER(Reduce, sent, received, count, type, op, root, comm);
      if (kind == 1) EITHER(Allreduce, sent, received, count, type, op, comm);
      if (kind == 2) EITHER(Allreduce, MPI_IN_PLACE, received, count, type, op, comm);
      if (kind == 3) EITHER(Scan, sent, received, count, type, op, comm);
      if (kind == 4) EITHER(Exscan, sent, received, count, type, op, comm);
      check_received();
    }
  if (step != 1) MPI_Op_free(&op);
}

/* Each rank gets a block of what is joined; `equal` or of 1 + r elements for rank r. */
static void blocks_of_vectors(int large, int step, int in_place) {
  const MPI_Datatype type = step == 1 ? MPI_INT : gapped;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Op op = MPI_SUM;
  int counts[most_ranks], kind, round, each;
  MPI_Count large_counts[most_ranks];
  if (step != 1) MPI_Op_create(add, 1, &op);
  for (each = 0; each < size; ++each) large_counts[each] = counts[each] = 1 + each;
  for (kind = 0; kind < 2; ++kind)
    for (round = 0; round < rounds; ++round) {
      const int own = kind == 0 ? 3 : 1 + rank,
                first = kind == 0 ? 3 * rank : rank * (rank + 1) / 2;
      const int all = kind == 0 ? 3 * size : size * (size + 1) / 2;
      void* const from = in_place ? MPI_IN_PLACE : sent;
      clear();
      for (each = 0; each < all; ++each)
        (in_place ? received : sent)[each * step] = value(rank, each, round);
      if (kind == 0) EITHER(Reduce_scatter_block, from, received, 3, type, op, comm);
      if (kind == 1 && large) GO(Reduce_scatter, _c, from, received, large_counts, type, op, comm);
      if (kind == 1 && !large) GO(Reduce_scatter, , from, received, counts, type, op, comm);
      for (each = 0; each < own; ++each)
        CHECK(received[each * step] == sum(size, first + each, round));
      if (!in_place) CHECK(received[own * step] == -1);
    }
  if (step != 1) MPI_Op_free(&op);
}

/* Not persistent: blocks of different lengths, which the others here are compared with. */
static void blocking_blocks(void) {
  int counts[most_ranks], each, first = rank * (rank + 1) / 2;
  for (each = 0; each < size; ++each) counts[each] = 1 + each;
  clear();
  for (each = 0; each < size * (size + 1) / 2; ++each) sent[each] = value(rank, each, 0);
  MPI_Reduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, comm);
  for (each = 0; each <= rank; ++each) CHECK(received[each] == sum(size, first + each, 0));
  CHECK(received[rank + 1] == -1);
}

/* Ranks start the same ones in orders of their own. */
static void any_order(void) {
  enum { all = 6 };
  MPI_Request made[all], started[all];
  int values[all], round, each, flag;
  for (each = 0; each + 1 < all; ++each)
    MPI_Allreduce_init(MPI_IN_PLACE, &values[each], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                       &made[each]);
  MPI_Barrier_init(comm, MPI_INFO_NULL, &made[all - 1]);
  for (round = 0; round < 50; ++round) {
    for (each = 0; each < all; ++each) {
      values[each] = value(rank, each, round);
      started[each] = made[(rank + round) % 2 ? each : all - 1 - each];
    }
    CHECK(!MPI_Startall(all, started));
    if (round % 2) CHECK(!MPI_Waitall(all, made, MPI_STATUSES_IGNORE));
    else do
        CHECK(!MPI_Testall(all, made, &flag, MPI_STATUSES_IGNORE));
      while (!flag);
    for (each = 0; each + 1 < all; ++each) CHECK(values[each] == sum(size, each, round));
  }
  for (each = 0; each < all; ++each) MPI_Request_free(&made[each]);
}

static void given_back(void) {
  MPI_Request unused, request;
  MPI_Status status;
  MPI_Comm copy;
  volatile int found = -1;
  int flag, error_class, total = 0, cells_of_type[4] = {rank, -1, rank, -1};
  MPI_Datatype type;
  MPI_Bcast_init((void*)&found, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &unused);
  CHECK(!MPI_Request_free(&unused) && unused == MPI_REQUEST_NULL); /* one that never began */
  MPI_Allreduce_init(&rank, (void*)&found, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Request_free(&request); /* under way */
  while (found == -1) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status);
  CHECK(found == size * (size - 1) / 2);
  MPI_Type_dup(gapped, &type);
  MPI_Bcast_init(cells_of_type, 2, type, root, comm, MPI_INFO_NULL, &request);
  MPI_Type_free(&type); /* what is made with it stays */
  CHECK(!MPI_Start(&request) && !MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(cells_of_type[0] == root && cells_of_type[1] == -1 && cells_of_type[2] == root);
  MPI_Request_free(&request);
  MPI_Comm_dup(comm, &copy);
  MPI_Allreduce_init(&size, &total, 1, MPI_INT, MPI_SUM, copy, MPI_INFO_NULL, &request);
  MPI_Comm_free(&copy); /* goes when the request does */
  CHECK(!MPI_Wait(&request, &status) && status.MPI_SOURCE == MPI_ANY_SOURCE);
  CHECK(!MPI_Start(&request));
  MPI_Error_class(MPI_Start(&request), &error_class);
  CHECK(error_class == MPI_ERR_REQUEST);
  MPI_Error_class(MPI_Cancel(&request), &error_class);
  CHECK(error_class == MPI_ERR_REQUEST);
  CHECK(!MPI_Wait(&request, &status) && total == size * size);
  MPI_Request_free(&request);
}

/* One that a rank is refused counts, so later ones go together; the other ranks do not wait for it
 * in vain. */
static void refused(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int wrong = rank == root;
  int total = 0, error_class;
  MPI_Error_class(MPI_Allreduce_init(&rank, &total, wrong ? -1 : 1, MPI_INT, MPI_SUM, comm,
                                     MPI_INFO_NULL, &request),
                  &error_class);
  CHECK(error_class == (wrong ? MPI_ERR_COUNT : MPI_SUCCESS));
  CHECK((request == MPI_REQUEST_NULL) == wrong);
  if (!wrong) {
    CHECK(!MPI_Start(&request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    CHECK(!MPI_Request_free(&request));
  }
  MPI_Allreduce_init(&rank, &total, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  CHECK(!MPI_Start(&request) && !MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(total == size * (size - 1) / 2);
  MPI_Request_free(&request);
}

int main(int argc, char** argv) {
  int large, step;
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  CHECK(size <= most_ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  root = size - 1;
  cells = (size_t)(longest * 2 * size + 4 * size * size);
  sent = malloc(cells * sizeof *sent);
  received = malloc(cells * sizeof *sent);
  expected = malloc(cells * sizeof *sent);
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gapped);
  MPI_Type_commit(&gapped);
  blocking_blocks();
  for (step = 1; step <= 2; ++step) {
    for (large = 0; large < 2; ++large) {
      equal_blocks(large, large ? longest : 5, step);
      vectors(large, large ? 5 : longest, step);
      blocks_of_vectors(large, step, 0);
      blocks_of_vectors(large, step, 1);
    }
    varying_blocks(step);
    varying_blocks_c(step);
  }
  any_order();
  given_back();
  refused();
  MPI_Type_free(&gapped);
  free(sent), free(received), free(expected);
  MPI_Finalize();
  return 0;
}
