/* Messages by MPI's C interface: every mode, persistent ones, probes, datatypes with gaps, all
 * forms of waiting, and what happens to what is wrong. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static int rank, size;

static int value_of(int from, int number) { return from * 1000 + number; }

static void modes(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out[4], in[4], each;
  MPI_Request requests[8];
  MPI_Status statuses[8];
  char room[4 * (sizeof(int) + MPI_BSEND_OVERHEAD)], *attached = NULL;
  int attached_size = 0;
  MPI_Buffer_attach(room, sizeof room);
  for (each = 0; each < 4; ++each) {
    out[each] = value_of(rank, each);
    MPI_Irecv(&in[each], 1, MPI_INT, left, each, MPI_COMM_WORLD, &requests[each]);
  }
  MPI_Isend(&out[0], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[4]);
  MPI_Issend(&out[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[5]);
  MPI_Irsend(&out[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[6]);
  MPI_Ibsend(&out[3], 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[7]);
  out[3] = -1; /* a buffered send has copied it */
  CHECK(MPI_Waitall(8, requests, statuses) == MPI_SUCCESS);
  for (each = 0; each < 4; ++each) {
    int count = 0;
    CHECK(in[each] == value_of(left, each));
    CHECK(statuses[each].MPI_SOURCE == left && statuses[each].MPI_TAG == each);
    MPI_Get_count(&statuses[each], MPI_INT, &count);
    CHECK(count == 1);
    CHECK(requests[each] == MPI_REQUEST_NULL && requests[4 + each] == MPI_REQUEST_NULL);
  }
  MPI_Buffer_detach(&attached, &attached_size);
  CHECK(attached == room && attached_size == (int)sizeof room);
}

static void blocking(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out = rank, in = -1;
  MPI_Status status;
  MPI_Sendrecv(&out, 1, MPI_INT, right, 5, &in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &status);
  CHECK(in == left && status.MPI_SOURCE == left && status.MPI_TAG == 5);
  MPI_Sendrecv_replace(&out, 1, MPI_INT, right, 6, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(out == left);
  MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && in == left);
}

static void persistent(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out = 0, in = 0, round, flag = 0;
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Send_init(&out, 1, MPI_INT, right, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Test(&requests[1], &flag, &status); /* an inactive one is over */
  CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE);
  for (round = 0; round < 10; ++round) {
    out = value_of(rank, round);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in == value_of(left, round));
    CHECK(requests[0] != MPI_REQUEST_NULL);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  CHECK(requests[0] == MPI_REQUEST_NULL);
}

static void probes(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out[3] = {rank, 2, 3}, in[3] = {0, 0, 0}, count = 0, flag = 0;
  MPI_Message message;
  MPI_Request sends[2], receive;
  MPI_Status status;
  MPI_Isend(out, 3, MPI_INT, right, 8, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(out, 2, MPI_INT, right, 9, MPI_COMM_WORLD, &sends[1]);
  MPI_Probe(left, 8, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 3 && status.MPI_SOURCE == left);
  MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &message, &status);
  MPI_Imrecv(in, 3, MPI_INT, &message, &receive);
  CHECK(message == MPI_MESSAGE_NULL);
  MPI_Wait(&receive, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 2 && in[0] == left && in[1] == 2 && in[2] == 0);
  while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  CHECK(status.MPI_TAG == 8);
  MPI_Recv(in, 3, MPI_INT, status.MPI_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(in[2] == 3);
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 9, MPI_COMM_WORLD, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Imrecv(in, 3, MPI_INT, &message, &receive);
  MPI_Wait(&receive, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0);
}

/* Sends that are over when their call returns have requests as all others. */
static void short_sends(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int flag = 0, in = 0;
  MPI_Request sends[4];
  MPI_Status status;
  for (int each = 0; each != 4; ++each) {
    MPI_Isend(&rank, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &sends[each]);
    CHECK(sends[each] != MPI_REQUEST_NULL);
  }
  for (int each = 0; each != 4; ++each) {
    MPI_Recv(&in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == left);
  }
  CHECK(MPI_Comm_c2f(MPI_COMM_WORLD) == 0x101);
  CHECK(MPI_Request_f2c(MPI_Request_c2f(sends[0])) == sends[0]);
  while (!flag) MPI_Request_get_status(sends[0], &flag, &status);
  MPI_Wait(&sends[0], &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(sends[0] == MPI_REQUEST_NULL && !flag);
  for (flag = 0; !flag;) MPI_Test(&sends[1], &flag, MPI_STATUS_IGNORE);
  CHECK(sends[1] == MPI_REQUEST_NULL);
  MPI_Request_free(&sends[2]);
  CHECK(sends[2] == MPI_REQUEST_NULL);
  MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
  CHECK(sends[3] == MPI_REQUEST_NULL);
}

/* Columns of a matrix, short and long ones. */
static void gaps(int rows) {
  enum { columns = 5 };
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  double* const matrix = malloc(sizeof(double) * (size_t)rows * columns);
  MPI_Datatype column;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int row, count = 0;
  for (row = 0; row < rows * columns; ++row) matrix[row] = rank + row / 1e6;
  MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Irecv(&matrix[1], 1, column, left, 10, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&matrix[3], 1, column, right, 10, MPI_COMM_WORLD, &requests[1]);
  MPI_Type_free(&column);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
  CHECK(count == rows);
  for (row = 0; row < rows; ++row) {
    CHECK(matrix[row * columns + 1] == left + (row * columns + 3) / 1e6);
    CHECK(matrix[row * columns] == rank + (row * columns) / 1e6);
    CHECK(matrix[row * columns + 2] == rank + (row * columns + 2) / 1e6);
  }
  free(matrix);
}

static void several(void) {
  enum { messages = 20 };
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int in[messages], out[messages], indices[messages], seen[messages] = {0};
  MPI_Request receives[messages], sends[messages];
  MPI_Status statuses[messages];
  int each, count = 0, index = 0, flag = 0, got = 0;
  for (each = 0; each < messages; ++each) {
    MPI_Irecv(&in[each], 1, MPI_INT, left, 100 + each, MPI_COMM_WORLD, &receives[each]);
    out[each] = value_of(rank, each);
  }
  for (each = messages - 1; each >= 0; --each)
    MPI_Isend(&out[each], 1, MPI_INT, right, 100 + each, MPI_COMM_WORLD, &sends[each]);
  MPI_Waitany(messages, receives, &index, MPI_STATUS_IGNORE);
  CHECK(index >= 0 && index < messages && in[index] == value_of(left, index));
  seen[index] = 1;
  for (got = 1; got < messages; got += count) {
    MPI_Waitsome(messages, receives, &count, indices, statuses);
    CHECK(count > 0);
    for (each = 0; each < count; ++each) {
      CHECK(!seen[indices[each]]++ && statuses[each].MPI_TAG == 100 + indices[each]);
      CHECK(in[indices[each]] == value_of(left, indices[each]));
    }
  }
  MPI_Waitsome(messages, receives, &count, indices, statuses);
  CHECK(count == MPI_UNDEFINED);
  while (!flag) MPI_Testall(messages, sends, &flag, MPI_STATUSES_IGNORE);
  MPI_Testany(messages, sends, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == MPI_UNDEFINED);
}

/* Nothing tells when a message has arrived whose request is gone, so this looks at memory into
 * which a thread of the library's may write: ThreadSanitizer is not to see that. */
static __attribute__((noinline, no_sanitize_thread)) int seen(const volatile int* at) {
  return *at;
}
static int all_seen(const volatile int* in, int rows) {
  int each;
  for (each = 0; each < rows; ++each)
    if (seen(&in[each * 2]) == -1) return 0;
  return 1;
}

/* A request that is freed while its message is on its way: that arrives all the same. */
static void freed(int rows) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int* const out = malloc(sizeof(int) * (size_t)rows * 2);
  volatile int* const in = malloc(sizeof(int) * (size_t)rows * 2);
  MPI_Datatype every_other;
  MPI_Request request;
  int each;
  for (each = 0; each < rows * 2; ++each) out[each] = value_of(rank, each), in[each] = -1;
  MPI_Type_vector(rows, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Irecv((void*)in, 1, every_other, left, 30, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL);
  MPI_Isend(out, 1, every_other, right, 30, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Type_free(&every_other);
  while (!all_seen(in, rows)) {
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
  for (each = 0; each < rows * 2; ++each)
    CHECK(seen(&in[each]) == (each % 2 == 0 ? value_of(left, each) : -1));
  MPI_Barrier(MPI_COMM_WORLD); /* now the neighbour has everything, too */
  free(out), free((void*)in);
}

static void wrong(void) {
  int value = 0, error_class = 0, length = 0, code;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Request request, freed;
  MPI_Status status;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
  CHECK(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
  CHECK(MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD) == MPI_ERR_TAG);
  CHECK(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  CHECK(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL) == MPI_ERR_COMM);
  CHECK(MPI_Send(&value, 1, MPI_INT, 0, 0, (MPI_Comm)&value) == MPI_ERR_COMM);
  CHECK(MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  freed = request;
  MPI_Wait(&request, &status);
  CHECK(MPI_Wait(&freed, &status) == MPI_ERR_REQUEST);
  MPI_Irecv(&value, 1, MPI_INT, rank, 20, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &code);
  CHECK(code);
  { /* a message that is too long */
    int two[2] = {1, 2};
    MPI_Isend(two, 2, MPI_INT, rank, 21, MPI_COMM_WORLD, &request);
    code = MPI_Recv(&value, 1, MPI_INT, rank, 21, MPI_COMM_WORLD, &status);
    CHECK(code == MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Error_class(code, &error_class);
  MPI_Error_string(code, text, &length);
  CHECK(error_class == MPI_ERR_TRUNCATE && length > 0 && (int)strlen(text) == length);
}

int main(int argc, char** argv) {
  int flag = 0;
  MPI_Initialized(&flag);
  CHECK(!flag);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  modes();
  blocking();
  persistent();
  probes();
  short_sends();
  gaps(1);
  gaps(100);
  gaps(100000);
  several();
  freed(3);
  freed(100000);
  wrong();
  MPI_Finalize();
  MPI_Finalized(&flag);
  return flag ? 0 : 1;
}
