/* mistakes: what goes wrong between calls of MPI's C interface that are right by themselves, or
 * with ranks that are none: messages that are too long, requests in the wrong state, MPI_PROC_NULL,
 * buffers that overlap, and ranks that make different calls. Each error has its class, and a
 * sentence that says what it was. */
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "told.h"

static int rank, size;
static MPI_Comm comm;

static void expect(int code, int error_class, const char* words, int line) {
  if (code == error_class && (words == NULL || strstr(told, words) != NULL)) return;
  fprintf(stderr, "mistakes.c:%d: rank %d: code %d instead of %d, with \"%s\"; told: %s\n", line,
          rank, code, error_class, words == NULL ? "" : words, told);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define FAILS(call, error_class, words) \
  (told[0] = 0, expect((call), (error_class), (words), __LINE__))
#define WORKS(call) FAILS(call, MPI_SUCCESS, NULL)

static void too_long(void) {
  int data[4] = {0}, length;
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  char from[40];
  MPI_Request requests[2];
  MPI_Status statuses[2], status;
  MPI_Message message;
  snprintf(from, sizeof from, "rank %d ", last);
  MPI_Isend(data, 4, MPI_INT, next, 3, comm, &requests[0]);
  FAILS(MPI_Recv(data, 2, MPI_INT, last, 3, comm, &status), MPI_ERR_TRUNCATE, "MPI_Recv: ");
  WORKS(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  MPI_Isend(data, 4, MPI_INT, next, 4, comm, &requests[0]);
  MPI_Irecv(data, 2, MPI_INT, MPI_ANY_SOURCE, 4, comm, &requests[1]);
  FAILS(MPI_Wait(&requests[1], &status), MPI_ERR_TRUNCATE, from);
  CHECK(strstr(told, "tag 4") != NULL && requests[1] == MPI_REQUEST_NULL);
  CHECK(status.MPI_SOURCE == last && status.MPI_TAG == 4);
  WORKS(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  MPI_Isend(data, 4, MPI_INT, next, 5, comm, &requests[0]);
  MPI_Irecv(data, 2, MPI_INT, last, 5, comm, &requests[1]);
  FAILS(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS, "MPI_Waitall: ");
  CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE);
  MPI_Isend(data, 4, MPI_INT, next, 6, comm, &requests[0]);
  WORKS(MPI_Mprobe(last, 6, comm, &message, &status));
  WORKS(MPI_Get_count(&status, MPI_INT, &length));
  CHECK(length == 4);
  FAILS(MPI_Mrecv(data, 2, MPI_INT, &message, &status), MPI_ERR_TRUNCATE, "MPI_Mrecv: ");
  FAILS(MPI_Mrecv(data, 2, MPI_INT, &message, &status), MPI_ERR_REQUEST, "MPI_MESSAGE_NULL");
  WORKS(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
}

static void requests(void) {
  int data = 0, flag;
  MPI_Request made, copy;
  WORKS(MPI_Recv_init(&data, 1, MPI_INT, rank, 7, comm, &made));
  FAILS(MPI_Cancel(&made), MPI_ERR_REQUEST, "not active");
  WORKS(MPI_Start(&made));
  FAILS(MPI_Start(&made), MPI_ERR_REQUEST, "active already");
  FAILS(MPI_Startall(1, &made), MPI_ERR_REQUEST, "active already");
  WORKS(MPI_Cancel(&made));
  WORKS(MPI_Wait(&made, MPI_STATUS_IGNORE));
  copy = made;
  WORKS(MPI_Request_free(&made));
  FAILS(MPI_Wait(&copy, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "request is 0x");
  FAILS(MPI_Test(&copy, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "request is 0x");
  FAILS(MPI_Waitall(1, &copy, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST, "array_of_requests");
  FAILS(MPI_Request_free(&copy), MPI_ERR_REQUEST, "request is 0x");
  WORKS(MPI_Irecv(&data, 1, MPI_INT, rank, 8, comm, &made));
  copy = made;
  WORKS(MPI_Send(&data, 1, MPI_INT, rank, 8, comm));
  WORKS(MPI_Wait(&made, MPI_STATUS_IGNORE));
  FAILS(MPI_Cancel(&copy), MPI_ERR_REQUEST, "request is 0x");
  WORKS(MPI_Ibarrier(comm, &made));
  FAILS(MPI_Cancel(&made), MPI_ERR_REQUEST, "cannot be cancelled");
  FAILS(MPI_Pready(0, made), MPI_ERR_REQUEST, "MPI_Psend_init");
  FAILS(MPI_Grequest_complete(made), MPI_ERR_REQUEST, "generalized");
  WORKS(MPI_Wait(&made, MPI_STATUS_IGNORE));
}

static void partitions(void) {
  int out[4] = {0}, in[4], flag;
  MPI_Request both[2];
  WORKS(MPI_Psend_init(out, 4, 1, MPI_INT, rank, 9, comm, MPI_INFO_NULL, &both[0]));
  WORKS(MPI_Precv_init(in, 4, 1, MPI_INT, rank, 9, comm, MPI_INFO_NULL, &both[1]));
  FAILS(MPI_Pready(0, both[0]), MPI_ERR_REQUEST, "not active");
  WORKS(MPI_Startall(2, both));
  FAILS(MPI_Pready(4, both[0]), MPI_ERR_ARG, "partition is 4");
  FAILS(MPI_Pready(0, both[1]), MPI_ERR_REQUEST, "MPI_Psend_init");
  FAILS(MPI_Parrived(both[1], 4, &flag), MPI_ERR_ARG, "partition is 4");
  FAILS(MPI_Parrived(both[0], 0, &flag), MPI_ERR_REQUEST, "MPI_Precv_init");
  WORKS(MPI_Pready_range(0, 2, both[0]));
  FAILS(MPI_Pready(1, both[0]), MPI_ERR_ARG, "ready before");
  WORKS(MPI_Pready(3, both[0]));
  WORKS(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
  WORKS(MPI_Request_free(&both[0]));
  WORKS(MPI_Request_free(&both[1]));
}

/* Nothing is sent there, but arguments are looked at. */
static void no_process(void) {
  int data = 7;
  MPI_Status status;
  MPI_Message message;
  WORKS(MPI_Send(&data, 1, MPI_INT, MPI_PROC_NULL, 1, comm));
  WORKS(MPI_Recv(&data, 1, MPI_INT, MPI_PROC_NULL, 1, comm, &status));
  CHECK(data == 7 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  WORKS(MPI_Mprobe(MPI_PROC_NULL, 1, comm, &message, &status));
  CHECK(message == MPI_MESSAGE_NO_PROC);
  WORKS(MPI_Mrecv(&data, 1, MPI_INT, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
  FAILS(MPI_Send(&data, -1, MPI_INT, MPI_PROC_NULL, 1, comm), MPI_ERR_COUNT, "count is -1");
  FAILS(MPI_Send(&data, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 1, comm), MPI_ERR_TYPE, "datatype");
  FAILS(MPI_Send(&data, 1, MPI_INT, MPI_PROC_NULL, -7, comm), MPI_ERR_TAG, "tag -7");
  FAILS(MPI_Recv(&data, 1, MPI_INT, MPI_PROC_NULL, -7, comm, &status), MPI_ERR_TAG, "tag -7");
  FAILS(MPI_Send(NULL, 1, MPI_INT, MPI_PROC_NULL, 1, comm), MPI_ERR_BUFFER, "buf is a null");
  FAILS(MPI_Bcast(&data, 1, MPI_INT, MPI_PROC_NULL, comm), MPI_ERR_ROOT, "root");
}

/* What is sent must not lie where something is received; blocks beside each other are apart. */
static void overlaps(void) {
  int data[12], each;
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  MPI_Datatype pairs, late;
  MPI_Request made;
  const char* const words = "MPI_Sendrecv: MPI_ERR_BUFFER: sendbuf overlaps recvbuf";
#define EXCHANGE(from, sends, into, gets)                                                   \
  MPI_Sendrecv((from), (sends), MPI_INT, next, 11, (into), (gets), MPI_INT, last, 11, comm, \
               MPI_STATUS_IGNORE)
  for (each = 0; each < 12; ++each) data[each] = 100 * rank + each;
  FAILS(EXCHANGE(data, 4, data, 4), MPI_ERR_BUFFER, words);
  FAILS(EXCHANGE(data, 4, data + 3, 4), MPI_ERR_BUFFER, words);
  FAILS(EXCHANGE(data + 3, 4, data, 4), MPI_ERR_BUFFER, words);
  FAILS(EXCHANGE(data + 1, 1, data, 12), MPI_ERR_BUFFER, words);
  FAILS(MPI_Isendrecv(data, 4, MPI_INT, next, 11, data + 3, 4, MPI_INT, last, 11, comm, &made),
        MPI_ERR_BUFFER, "MPI_Isendrecv: MPI_ERR_BUFFER: sendbuf overlaps recvbuf");
  /* a block that begins behind where its buffer does */
  MPI_Type_create_hindexed_block(1, 2, (MPI_Aint[]){8 * sizeof(int)}, MPI_INT, &late);
  MPI_Type_commit(&late);
  FAILS(MPI_Sendrecv(data, 1, late, next, 11, data + 9, 1, MPI_INT, last, 11, comm,
                     MPI_STATUS_IGNORE),
        MPI_ERR_BUFFER, words);
  WORKS(MPI_Sendrecv(data, 1, late, next, 11, data, 2, MPI_INT, last, 11, comm, MPI_STATUS_IGNORE));
  CHECK(data[0] == 100 * last + 8 && data[1] == 100 * last + 9);
  MPI_Type_free(&late);
  WORKS(EXCHANGE(data + 4, 4, data, 4));
  WORKS(EXCHANGE(data + 4, 4, data + 8, 4));
  for (each = 0; each < 4; ++each)
    CHECK(data[each] == 100 * last + 4 + each && data[8 + each] == data[each]);
  /* nothing overlaps nothing, and a message that goes nowhere disturbs none */
  WORKS(EXCHANGE(data, 0, data, 0));
  WORKS(MPI_Sendrecv(data, 4, MPI_INT, MPI_PROC_NULL, 11, data, 4, MPI_INT, MPI_PROC_NULL, 11, comm,
                     MPI_STATUS_IGNORE));
  WORKS(MPI_Sendrecv_replace(data, 4, MPI_INT, next, 11, last, 11, comm, MPI_STATUS_IGNORE));
  /* elements with gaps may lie between each other */
  MPI_Type_vector(3, 2, 4, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  for (each = 0; each < 12; ++each) data[each] = 100 * rank + each;
  WORKS(MPI_Sendrecv(data, 1, pairs, next, 11, data + 2, 1, pairs, last, 11, comm,
                     MPI_STATUS_IGNORE));
  for (each = 0; each < 12; ++each)
    CHECK(data[each] == (each % 4 < 2 ? 100 * rank + each : 100 * last + each - 2));
  MPI_Type_free(&pairs);
#undef EXCHANGE
}

/* PEAL_CHECK=1: each rank is told what it has called, and what another one has. */
static void different_calls(void) {
  int one = 1, sum = 0;
  if (size == 1) return;
  if (rank == 0)
    FAILS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_OTHER, "barrier");
  else FAILS(MPI_Barrier(comm), MPI_ERR_OTHER, "rank 0");
  FAILS(MPI_Bcast(&one, 1, MPI_INT, rank == 0 ? 0 : 1, comm), MPI_ERR_OTHER, "root");
  FAILS(MPI_Allreduce(&one, &sum, rank == 0 ? 0 : 1, MPI_INT, MPI_SUM, comm), MPI_ERR_OTHER,
        "rank");
  WORKS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == size);
}

int main(void) {
  MPI_Errhandler handler;
  const char* const compared = getenv("PEAL_CHECK");
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  too_long();
  requests();
  partitions();
  no_process();
  overlaps();
  if (compared != NULL) different_calls();
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return 0;
}
