/* Messages of datatypes with gaps, from a few bytes to megabytes: every mode and every way of
 * waiting, and other layouts on the other side. What belongs to the datatype arrives, and the gaps
 * stay as they were. With a word, only lengths on both sides of where messages are announced. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static int rank, size, right, left;

/* ---- layouts of the same doubles: each has a rule for where the k-th one lies */

enum layout { plain, every_third, irregular, backwards, box, layouts };

static long place(enum layout how, long which, long count) {
  switch (how) {
    case every_third: return 3 * which;
    case irregular: return 2 * which + which / 3 + (which % 5 == 2 ? 1 : 0);
    case backwards: return 2 * (count - 1 - which);
    case box: return which / 8 * 11 + which % 8 + 2;
    default: return which;
  }
}
static long room(long count) { return 4 * count + 16; }

static MPI_Datatype type_of(enum layout how, long count) {
  MPI_Datatype made;
  int n = (int)count, each;
  switch (how) {
    case every_third: MPI_Type_vector(n, 1, 3, MPI_DOUBLE, &made); break;
    case irregular: {
      int *at = malloc((size_t)count * sizeof(int)), *lengths = malloc((size_t)count * sizeof(int));
      for (each = 0; each < n; ++each) {
        at[each] = (int)place(irregular, each, count);
        lengths[each] = 1;
      }
      MPI_Type_indexed(n, lengths, at, MPI_DOUBLE, &made);
      free(at);
      free(lengths);
      break;
    }
    case backwards: {
      MPI_Datatype one;
      MPI_Aint start = (MPI_Aint)(2 * (count - 1) * 8);
      MPI_Type_create_hvector(n, 1, -16, MPI_DOUBLE, &one);
      MPI_Type_create_hindexed_block(1, 1, &start, one, &made);
      MPI_Type_free(&one);
      break;
    }
    case box: {
      int outer[2] = {(n + 7) / 8, 11}, inner[2] = {(n + 7) / 8, 8}, start[2] = {0, 2};
      MPI_Type_create_subarray(2, outer, inner, start, MPI_ORDER_C, MPI_DOUBLE, &made);
      break;
    }
    default: MPI_Type_contiguous(n, MPI_DOUBLE, &made);
  }
  MPI_Type_commit(&made);
  return made;
}

static double value(int from, long which, int round) {
  return from * 1e7 + (double)which + round * 0.25;
}

static double* filled(enum layout how, long count, int round) {
  double* const memory = malloc((size_t)room(count) * sizeof(double));
  long each;
  for (each = 0; each < room(count); ++each) memory[each] = -1;
  for (each = 0; each < count; ++each) memory[place(how, each, count)] = value(rank, each, round);
  return memory;
}
static double* empty(long count) {
  double* const memory = malloc((size_t)room(count) * sizeof(double));
  long each;
  for (each = 0; each < room(count); ++each) memory[each] = -2;
  return memory;
}
/* The first `arrived` doubles are there, and nothing else has changed. Frees it. */
static void check(double* memory, enum layout how, long count, long arrived, int from, int round) {
  long each;
  for (each = 0; each < arrived; ++each) {
    const long at = place(how, each, count);
    CHECK(memory[at] == value(from, each, round));
    memory[at] = -2;
  }
  for (each = 0; each < room(count); ++each) CHECK(memory[each] == -2);
  free(memory);
}

/* ---- every pair of layouts, blocking and not, sent first or received first */

static void pairs(long count) {
  int out, in;
  for (out = 0; out < layouts; ++out)
    for (in = 0; in < layouts; ++in) {
      MPI_Datatype sent = type_of(out, count), received = type_of(in, count);
      double *data = filled(out, count, out), *into = empty(count);
      MPI_Request requests[2];
      MPI_Status status;
      int got = 0;
      MPI_Sendrecv(data, 1, sent, right, 1, into, 1, received, left, 1, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, received, &got);
      CHECK(status.MPI_SOURCE == left && got == 1);
      check(into, in, count, count, left, out);
      into = empty(count);
      MPI_Isend(data, 1, sent, right, 2, MPI_COMM_WORLD, &requests[0]);
      MPI_Type_free(&sent); /* what is under way keeps it */
      if (in % 2) MPI_Barrier(MPI_COMM_WORLD);
      MPI_Irecv(into, 1, received, in % 2 ? MPI_ANY_SOURCE : left, MPI_ANY_TAG, MPI_COMM_WORLD,
                &requests[1]);
      MPI_Type_free(&received);
      CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
      check(into, in, count, count, left, out);
      free(data);
    }
}

/* ---- modes, persistent ones, exchanges in place, memory that others see */

static void modes(long count) {
  MPI_Datatype type = type_of(irregular, count);
  const int attached_bytes = (int)(count * 8) + MPI_BSEND_OVERHEAD;
  void* const attached = malloc((size_t)attached_bytes);
  double *data = filled(irregular, count, 3), *into[4];
  MPI_Request requests[8];
  void* detached;
  int each, bytes;
  MPI_Buffer_attach(attached, attached_bytes);
  for (each = 0; each < 4; ++each) {
    into[each] = empty(count);
    MPI_Irecv(into[each], 1, type, left, each, MPI_COMM_WORLD, &requests[each]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(data, 1, type, right, 0, MPI_COMM_WORLD, &requests[4]);
  MPI_Issend(data, 1, type, right, 1, MPI_COMM_WORLD, &requests[5]);
  MPI_Irsend(data, 1, type, right, 2, MPI_COMM_WORLD, &requests[6]);
  MPI_Ibsend(data, 1, type, right, 3, MPI_COMM_WORLD, &requests[7]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  for (each = 0; each < 4; ++each) check(into[each], irregular, count, count, left, 3);
  MPI_Buffer_detach(&detached, &bytes);
  free(attached);
  MPI_Ssend_init(data, 1, type, right, 4, MPI_COMM_WORLD, &requests[0]);
  into[0] = malloc((size_t)room(count) * sizeof(double));
  MPI_Recv_init(into[0], 1, type, left, 4, MPI_COMM_WORLD, &requests[1]);
  for (each = 0; each < 3; ++each) {
    long at;
    double* again = filled(irregular, count, each);
    memcpy(data, again, (size_t)room(count) * sizeof(double));
    free(again);
    for (at = 0; at < room(count); ++at) into[0][at] = -2;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (at = 0; at < count; ++at)
      CHECK(into[0][place(irregular, at, count)] == value(left, at, each));
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  free(into[0]);
  MPI_Sendrecv_replace(data, 1, type, right, 5, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long at = 0; at < count; ++at)
    CHECK(data[place(irregular, at, count)] == value(left, at, 2));
  free(data);
  MPI_Type_free(&type);
}

static void shared_memory(long count) {
  MPI_Datatype type = type_of(every_third, count);
  double *data = filled(every_third, count, 6), *into;
  MPI_Request request;
  long each;
  CHECK(MPI_Alloc_mem((MPI_Aint)count * 8, MPI_INFO_NULL, &into) == MPI_SUCCESS);
  memset(into, 0, (size_t)count * 8);
  MPI_Irecv(into, (int)count, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, &request);
  MPI_Send(data, 1, type, right, 6, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (each = 0; each < count; ++each) CHECK(into[each] == value(left, each, 6));
  MPI_Free_mem(into);
  free(data);
  MPI_Type_free(&type);
}

/* ---- a message that is longer than the receive, and one that is shorter */

static void other_lengths(long count) {
  const long half = count / 2;
  MPI_Datatype whole = type_of(irregular, count), part = type_of(irregular, half);
  double *data = filled(irregular, count, 7), *into = empty(count);
  MPI_Request request;
  MPI_Status status;
  int got = 0, class = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Irecv(into, 1, part, left, 8, MPI_COMM_WORLD, &request);
  MPI_Send(data, 1, whole, right, 8, MPI_COMM_WORLD);
  MPI_Error_class(MPI_Wait(&request, &status), &class);
  CHECK(class == MPI_ERR_TRUNCATE);
  check(into, irregular, count, half, left, 7);
  into = empty(count);
  MPI_Irecv(into, 1, whole, left, 9, MPI_COMM_WORLD, &request);
  MPI_Send(data, 1, part, right, 9, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  MPI_Get_elements(&status, whole, &got);
  CHECK(got == half);
  check(into, irregular, count, half, left, 7);
  /* One that never arrives is withdrawn. */
  into = empty(count);
  MPI_Irecv(into, 1, whole, left, 100, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &got);
  CHECK(got);
  check(into, irregular, count, 0, left, 7);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  free(data);
  MPI_Type_free(&whole);
  MPI_Type_free(&part);
}

/* ---- many at a time, whose requests are let go */

static void many(long count) {
  enum { messages = 20 };
  MPI_Datatype type = type_of(box, count);
  double *data[messages], *into[messages];
  MPI_Request requests[messages], unwanted;
  int each;
  for (each = 0; each < messages; ++each) {
    data[each] = filled(box, count, each);
    into[each] = empty(count);
    MPI_Irecv(into[each], 1, type, left, each, MPI_COMM_WORLD, &requests[each]);
  }
  for (each = messages; each-- != 0;) {
    MPI_Isend(data[each], 1, type, right, each, MPI_COMM_WORLD, &unwanted);
    MPI_Request_free(&unwanted);
  }
  MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
  for (each = 0; each < messages; ++each) check(into[each], box, count, count, left, each);
  MPI_Barrier(MPI_COMM_WORLD); /* all have arrived */
  for (each = 0; each < messages; ++each) free(data[each]);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  const long all[] = {8, 120, 512, 520, 5000, 40000, 300000, 0}, few[] = {8, 520, 5000, 0};
  const long* each = argc > 1 ? few : all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  for (; *each != 0; ++each) {
    if (*each <= 40000) pairs(*each);
    modes(*each);
    shared_memory(*each);
    if (size > 1 || *each <= 40000) other_lengths(*each);
    if (*each <= 5000) many(*each);
  }
  MPI_Finalize();
  return 0;
}
