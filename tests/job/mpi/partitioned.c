/* Partitioned messages: partitions in any order and by several threads, counts that differ on both
 * sides, datatypes with gaps, and ordinary messages beside them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static int rank, size, right, left;

static double value_of(int from, int round, int element) {
  return from * 1e6 + round * 1e4 + element;
}

/* Sends so many partitions to the right, and receives as many others from the left. */
static void counts(int sent, int received, int elements, int rounds) {
  double* const out = malloc(sizeof(double) * (size_t)elements);
  double* const in = malloc(sizeof(double) * (size_t)elements);
  const int in_each = elements / received;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int round, each, flag = 0, count = 0;
  CHECK(elements % sent == 0 && elements % received == 0);
  MPI_Psend_init(out, sent, elements / sent, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init_c(in, received, in_each, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[1]);
  for (round = 0; round < rounds; ++round) {
    for (each = 0; each < elements; ++each) out[each] = value_of(rank, round, each), in[each] = -1;
    MPI_Startall(2, requests);
    for (each = sent - 1; each >= sent / 2; --each) MPI_Pready(each, requests[0]);
    MPI_Test(&requests[0], &flag, &statuses[0]);
    CHECK(flag == (sent == 1) || sent / 2 == 0);
    if (sent / 2 > 0) MPI_Pready_range(0, sent / 2 - 1, requests[0]);
    for (each = 0; each < received; ++each) {
      for (flag = 0; !flag;) MPI_Parrived(requests[1], each, &flag);
      CHECK(in[each * in_each] == value_of(left, round, each * in_each));
      CHECK(in[(each + 1) * in_each - 1] == value_of(left, round, (each + 1) * in_each - 1));
    }
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[1], MPI_DOUBLE, &count);
    CHECK(count == elements && statuses[1].MPI_SOURCE == left && statuses[1].MPI_TAG == 3);
    for (each = 0; each < elements; ++each) CHECK(in[each] == value_of(left, round, each));
    MPI_Parrived(requests[1], 0, &flag);
    CHECK(flag && requests[1] != MPI_REQUEST_NULL);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  free(out), free(in);
}

/* Requests find each other in the order in which they were made, whatever the order of starts; and
 * ordinary messages with the same tag are another thing. */
static void order(void) {
  enum { requests_each_way = 3, partitions = 4 };
  int out[requests_each_way][partitions], in[requests_each_way][partitions],
      plain = -1, each, part, list[partitions] = {2, 0, 3, 1}, flag = 1;
  MPI_Request sends[requests_each_way], receives[requests_each_way], request;
  MPI_Status status;
  MPI_Irecv(&plain, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  for (each = 0; each < requests_each_way; ++each)
    MPI_Psend_init(out[each], partitions, 1, MPI_INT, right, 9, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &sends[each]);
  for (each = 0; each < requests_each_way; ++each)
    MPI_Precv_init(in[each], partitions, 1, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &receives[each]);
  for (each = 0; each < requests_each_way; ++each)
    for (part = 0; part < partitions; ++part)
      out[each][part] = rank * 100 + each * 10 + part, in[each][part] = -1;
  for (each = requests_each_way - 1; each >= 0; --each) {
    MPI_Start(&sends[each]);
    MPI_Pready_list(partitions, list, sends[each]);
  }
  MPI_Startall(requests_each_way, receives);
  MPI_Waitall(requests_each_way, receives, MPI_STATUSES_IGNORE);
  MPI_Waitall(requests_each_way, sends, MPI_STATUSES_IGNORE);
  for (each = 0; each < requests_each_way; ++each)
    for (part = 0; part < partitions; ++part)
      CHECK(in[each][part] == left * 100 + each * 10 + part);
  MPI_Test(&request, &flag, &status);
  CHECK(!flag && plain == -1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&rank, 1, MPI_INT, right, 9, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  CHECK(plain == left && status.MPI_TAG == 9);
  for (each = 0; each < requests_each_way; ++each)
    MPI_Request_free(&sends[each]), MPI_Request_free(&receives[each]);
}

/* The receiver takes every other element; one side starts long before the other. */
static void gaps(void) {
  enum { partitions = 6, elements = 50 };
  static int out[partitions * elements], in[2 * partitions * elements];
  MPI_Datatype every_other;
  MPI_Request requests[2];
  int each, flag = 0, round;
  MPI_Type_vector(elements, 1, 2, MPI_INT, &every_other);
  MPI_Type_create_resized(every_other, 0, 2 * elements * (MPI_Aint)sizeof(int), &every_other);
  MPI_Type_commit(&every_other);
  MPI_Precv_init(in, partitions, 1, every_other, left, 4, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[1]);
  MPI_Type_free(&every_other);
  MPI_Start(&requests[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Psend_init(out, 2, partitions * elements / 2, MPI_INT, right, 4, MPI_COMM_WORLD,
                 MPI_INFO_NULL, &requests[0]);
  for (round = 0; round < 3; ++round) {
    for (each = 0; each < partitions * elements; ++each) out[each] = rank + round + each;
    for (each = 0; each < 2 * partitions * elements; ++each) in[each] = -1;
    if (round > 0) MPI_Start(&requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&requests[0]);
    MPI_Pready(1, requests[0]);
    for (flag = 0; !flag;) MPI_Parrived(requests[1], partitions - 1, &flag);
    CHECK(in[2 * (partitions * elements - 1)] == left + round + partitions * elements - 1);
    CHECK(in[0] == -1);
    MPI_Parrived(requests[1], 0, &flag);
    CHECK(!flag || size > 1);
    MPI_Pready(0, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (each = 0; each < partitions * elements; ++each) {
      CHECK(in[2 * each] == left + round + each);
      CHECK(in[2 * each + 1] == -1);
    }
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

/* ---- threads */

enum { threads = 4, of_thread = 16, length = 1000 };
struct work {
  int number, round;
  MPI_Request send;
  double* out;
};

static void* make_ready(void* given) {
  const struct work* const of = given;
  int each, element;
  for (each = of->number; each < threads * of_thread; each += threads) {
    for (element = 0; element < length; ++element)
      of->out[each * length + element] = value_of(rank, of->round, each);
    MPI_Pready(each, of->send);
  }
  return NULL;
}

static void by_threads(void) {
  const size_t elements = (size_t)threads * of_thread * length;
  double* const out = malloc(sizeof(double) * elements);
  double* const in = malloc(sizeof(double) * elements);
  struct work of[threads];
  pthread_t running[threads];
  MPI_Request requests[2];
  int round, each;
  MPI_Psend_init(out, threads * of_thread, length, MPI_DOUBLE, right, 5, MPI_COMM_WORLD,
                 MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, of_thread, threads * length, MPI_DOUBLE, left, 5, MPI_COMM_WORLD,
                 MPI_INFO_NULL, &requests[1]);
  for (round = 0; round < 5; ++round) {
    MPI_Startall(2, requests);
    for (each = 0; each < threads; ++each) {
      of[each].number = each, of[each].round = round, of[each].send = requests[0];
      of[each].out = out;
      pthread_create(&running[each], NULL, make_ready, &of[each]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* while the threads are at it */
    for (each = 0; each < threads; ++each) pthread_join(running[each], NULL);
    for (each = 0; each < threads * of_thread; ++each) {
      CHECK(in[each * length] == value_of(left, round, each));
      CHECK(in[(each + 1) * length - 1] == value_of(left, round, each));
    }
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  free(out), free(in);
}

/* ---- what is wrong, and what is empty */

static void edges(void) {
  int value[4] = {0, 0, 0, 0}, into[4], flag = 0, count = -1;
  MPI_Request send, receive;
  MPI_Status status;
  CHECK(MPI_Psend_init(value, -1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send) ==
        MPI_ERR_ARG);
  CHECK(MPI_Precv_init(value, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &receive) == MPI_ERR_RANK);
  CHECK(MPI_Precv_init(value, 1, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &receive) == MPI_ERR_TAG);
  MPI_Psend_init(value, 4, 1, MPI_INT, right, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
  MPI_Precv_init(into, 2, 1, MPI_INT, left, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
  CHECK(MPI_Pready(0, send) == MPI_ERR_REQUEST);
  MPI_Start(&send);
  MPI_Start(&receive);
  CHECK(MPI_Start(&send) == MPI_ERR_REQUEST);
  CHECK(MPI_Request_free(&send) == MPI_ERR_REQUEST);
  CHECK(MPI_Pready(4, send) == MPI_ERR_ARG && MPI_Pready(0, receive) == MPI_ERR_REQUEST);
  CHECK(MPI_Pready(1, send) == MPI_SUCCESS && MPI_Pready(1, send) == MPI_ERR_ARG);
  CHECK(MPI_Parrived(send, 0, &flag) == MPI_ERR_REQUEST);
  CHECK(MPI_Parrived(receive, 2, &flag) == MPI_ERR_ARG);
  MPI_Pready(0, send), MPI_Pready_range(2, 3, send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  CHECK(MPI_Wait(&receive, &status) == MPI_ERR_TRUNCATE);
  MPI_Request_free(&send), MPI_Request_free(&receive);

  MPI_Psend_init(NULL, 3, 0, MPI_INT, right, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
  MPI_Precv_init(NULL, 2, 0, MPI_INT, left, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
  MPI_Start(&receive), MPI_Start(&send);
  MPI_Pready_range(0, 2, send);
  for (flag = 0; !flag;) MPI_Parrived(receive, 1, &flag);
  MPI_Wait(&receive, &status), MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 0);
  MPI_Request_free(&send), MPI_Request_free(&receive);

  MPI_Psend_init(value, 2, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
  MPI_Precv_init(into, 2, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
  MPI_Start(&receive), MPI_Start(&send);
  MPI_Pready_range(0, 1, send);
  MPI_Wait(&receive, &status), MPI_Wait(&send, MPI_STATUS_IGNORE);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Request_free(&send), MPI_Request_free(&receive);
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size, left = (rank + size - 1) % size;
  counts(1, 1, 4, 3);
  counts(4, 4, 8, 3);
  counts(6, 4, 12, 3);
  counts(3, 7, 42, 3);
  counts(4, 2, 400000, 2);
  counts(1, 8, 80000, 2);
  order();
  gaps();
  by_threads();
  edges();
  MPI_Finalize();
  return 0;
}
