/* Communicators of which a program asserts by a hint that no receive takes any tag: what it hears
 * of that, what is refused then, and messages of several threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { threads = 4, rounds = 50, longest = 100000 };

static int rank, size;

static MPI_Info hint(const char* value) {
  MPI_Info made;
  MPI_Info_create(&made);
  MPI_Info_set(made, "mpi_assert_no_any_tag", value);
  return made;
}

/* What MPI_Comm_get_info says: 1, true, or 0, false. */
static int is_in_use(MPI_Comm on) {
  MPI_Info used;
  char value[16] = "";
  int length = sizeof value, flag;
  MPI_Comm_get_info(on, &used);
  MPI_Info_get_string(used, "mpi_assert_no_any_tag", &length, value, &flag);
  MPI_Info_free(&used);
  CHECK(flag && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0));
  return strcmp(value, "true") == 0;
}

static MPI_Comm copy_with(MPI_Comm from, int nonblocking, const char* value) {
  MPI_Info info = value == NULL ? MPI_INFO_NULL : hint(value);
  MPI_Comm made;
  MPI_Request request;
  if (nonblocking) {
    MPI_Comm_idup_with_info(from, info, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Comm_dup_with_info(from, info, &made);
  }
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return made;
}

/* With threads as many tags, in order for each; the rank at the right gets them. */
static struct talker {
  pthread_t thread;
  MPI_Comm on;
  int tag;
} talkers[threads];

static void* talk(void* of) {
  const struct talker* const me = of;
  int* const out = malloc(sizeof(int) * longest);
  int* const in = malloc(sizeof(int) * longest);
  int round, length, each;
  MPI_Request requests[2];
  MPI_Status status;
  for (round = 0; round < rounds; ++round) {
    length = round % 10 == 9 ? longest : round + 1;
    for (each = 0; each < length; ++each) out[each] = 1000 * me->tag + round + each, in[each] = -1;
    MPI_Isend(out, length, MPI_INT, (rank + 1) % size, me->tag, me->on, &requests[0]);
    MPI_Irecv(in, length, MPI_INT, MPI_ANY_SOURCE, me->tag, me->on, &requests[1]);
    MPI_Wait(&requests[1], &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(status.MPI_TAG == me->tag && status.MPI_SOURCE == (rank + size - 1) % size);
    CHECK(memcmp(in, out, sizeof(int) * (size_t)length) == 0);
  }
  free(out);
  free(in);
  return NULL;
}

static void traffic(MPI_Comm on) {
  int each, sum = -1;
  for (each = 0; each < threads; ++each) {
    talkers[each].on = on;
    talkers[each].tag = each;
    CHECK(pthread_create(&talkers[each].thread, NULL, talk, &talkers[each]) == 0);
  }
  for (each = 0; each < threads; ++each) pthread_join(talkers[each].thread, NULL);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, on);
  CHECK(sum == size * (size - 1) / 2);
}

/* Whatever would take any tag, and nothing of it is left behind. */
static void refused(MPI_Comm on) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message;
  MPI_Status status;
  int in = -1, out = rank, flag;
  MPI_Comm_set_errhandler(on, MPI_ERRORS_RETURN);
  CHECK(MPI_Recv(&in, 1, MPI_INT, rank, MPI_ANY_TAG, on, &status) == MPI_ERR_TAG);
  CHECK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, on, &status) == MPI_ERR_TAG);
  CHECK(MPI_Irecv(&in, 1, MPI_INT, rank, MPI_ANY_TAG, on, &request) == MPI_ERR_TAG);
  CHECK(MPI_Recv_init(&in, 1, MPI_INT, rank, MPI_ANY_TAG, on, &request) == MPI_ERR_TAG);
  CHECK(MPI_Probe(rank, MPI_ANY_TAG, on, &status) == MPI_ERR_TAG);
  CHECK(MPI_Iprobe(rank, MPI_ANY_TAG, on, &flag, &status) == MPI_ERR_TAG);
  CHECK(MPI_Mprobe(rank, MPI_ANY_TAG, on, &message, &status) == MPI_ERR_TAG);
  CHECK(MPI_Improbe(rank, MPI_ANY_TAG, on, &flag, &message, &status) == MPI_ERR_TAG);
  CHECK(MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 0, &in, 1, MPI_INT, rank, MPI_ANY_TAG, on,
                     &status) == MPI_ERR_TAG);
  CHECK(request == MPI_REQUEST_NULL);
  MPI_Isend(&out, 1, MPI_INT, rank, threads, on, &request);
  MPI_Probe(MPI_ANY_SOURCE, threads, on, &status);
  CHECK(status.MPI_TAG == threads && status.MPI_SOURCE == rank);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, threads, on, &status);
  CHECK(in == rank);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void takes_any_tag(MPI_Comm on) {
  MPI_Request request;
  MPI_Status status;
  int in = -1;
  MPI_Isend(&rank, 1, MPI_INT, rank, 5, on, &request);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, on, &status);
  CHECK(in == rank && status.MPI_TAG == 5);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* All of the ranks, some of them, and what becomes of it later. */
static void wishes(int nonblocking) {
  MPI_Comm named = copy_with(MPI_COMM_WORLD, nonblocking, "true"), made;
  MPI_Info info = hint("false");
  int each;
  CHECK(is_in_use(named));
  MPI_Comm_set_info(named, info); /* comes too late */
  CHECK(is_in_use(named));
  MPI_Info_free(&info);
  refused(named);
  traffic(named);
  MPI_Comm_dup(named, &made); /* hints are not copied */
  CHECK(!is_in_use(made));
  takes_any_tag(made);
  MPI_Comm_free(&made);
  made = copy_with(named, nonblocking, "true");
  MPI_Comm_free(&named);
  CHECK(is_in_use(made));
  traffic(made);
  MPI_Comm_free(&made);
  made = copy_with(MPI_COMM_WORLD, nonblocking, "false");
  info = hint("true");
  MPI_Comm_set_info(made, info);
  MPI_Info_free(&info);
  CHECK(!is_in_use(made));
  takes_any_tag(made);
  MPI_Comm_free(&made);
  for (each = 0; each < size && size > 1; ++each) { /* all but one, or that one alone */
    made = copy_with(MPI_COMM_WORLD, nonblocking, rank == each ? "true" : NULL);
    CHECK(!is_in_use(made));
    takes_any_tag(made);
    MPI_Comm_free(&made);
    made = copy_with(MPI_COMM_WORLD, nonblocking, rank != each ? "true" : "false");
    CHECK(!is_in_use(made));
    traffic(made);
    MPI_Comm_free(&made);
  }
}

/* Several are under way at once, and come and go. */
static void many(void) {
  enum { count = 5 };
  MPI_Comm made[count];
  MPI_Request requests[count];
  MPI_Info info = hint("true");
  int round, each, in;
  for (round = 0; round < 20; ++round) {
    for (each = 0; each < count; ++each)
      MPI_Comm_idup_with_info(MPI_COMM_WORLD, each % 2 ? info : MPI_INFO_NULL, &made[each],
                              &requests[each]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (each = 0; each < count; ++each) {
      CHECK(is_in_use(made[each]) == each % 2);
      MPI_Sendrecv(&each, 1, MPI_INT, (rank + 1) % size, round, &in, 1, MPI_INT, MPI_ANY_SOURCE,
                   round, made[each], MPI_STATUS_IGNORE);
      CHECK(in == each);
      MPI_Comm_free(&made[each]);
    }
  }
  MPI_Info_free(&info);
}

/* A copy has the neighbours of what it was made of. */
static void of_a_grid(int nonblocking) {
  const int periodic = 1;
  int near[2] = {-1, -1};
  MPI_Comm ring, named;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  named = copy_with(ring, nonblocking, "true");
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, near, 1, MPI_INT, named);
  CHECK(near[0] == (rank + size - 1) % size && near[1] == (rank + 1) % size);
  traffic(named);
  MPI_Comm_free(&named);
  MPI_Comm_free(&ring);
}

/* A wrong value is told to all ranks. */
static void wrong_value(void) {
  MPI_Info info = hint(rank == size - 1 ? "perhaps" : "true");
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request;
  int code;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  code = MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
  CHECK(rank == size - 1 ? code == MPI_ERR_INFO_VALUE : code != MPI_SUCCESS);
  CHECK(made == MPI_COMM_NULL);
  code = MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &made, &request);
  CHECK((code == MPI_ERR_INFO_VALUE) == (rank == size - 1));
  if (code == MPI_SUCCESS) CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  wishes(0);
  wishes(1);
  many();
  of_a_grid(0);
  of_a_grid(1);
  wrong_value();
  return MPI_Finalize();
}
