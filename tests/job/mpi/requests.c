/* Requests that are more than one message: looks at several of them, those of the program's own, a
 * send with a receive, and buffers for buffered sends. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static int rank, size, right, left;

/* ---- looks */

static void looks(void) {
  int in[3] = {-1, -1, -1}, out = rank, flag = 1, index = 0, count = 0, indices[4], each;
  MPI_Request requests[4];
  MPI_Status status, statuses[4];
  for (each = 0; each < 3; ++each)
    MPI_Irecv(&in[each], 1, MPI_INT, left, each, MPI_COMM_WORLD, &requests[each]);
  requests[3] = MPI_REQUEST_NULL;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request_get_status_any(4, requests, &index, &flag, &status);
  CHECK(!flag && index == MPI_UNDEFINED);
  MPI_Request_get_status_all(4, requests, &flag, statuses);
  CHECK(!flag);
  MPI_Request_get_status_some(4, requests, &count, indices, statuses);
  CHECK(count == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status_any(4, requests, &index, &flag, &status);
  CHECK(index == 1 && status.MPI_TAG == 1 && status.MPI_SOURCE == left);
  CHECK(requests[1] != MPI_REQUEST_NULL && in[1] == left);
  MPI_Request_get_status_some(4, requests, &count, indices, statuses);
  CHECK(count == 1 && indices[0] == 1 && statuses[0].MPI_TAG == 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
  MPI_Send(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status_all(4, requests, &flag, statuses);
  for (each = 0; each < 3; ++each) CHECK(statuses[each].MPI_TAG == each);
  CHECK(statuses[3].MPI_SOURCE == MPI_ANY_SOURCE);
  MPI_Waitall(4, requests, statuses);
  MPI_Request_get_status_some(4, requests, &count, indices, statuses);
  CHECK(count == MPI_UNDEFINED);
  status.MPI_ERROR = MPI_ERR_OTHER;
  MPI_Request_get_status_any(4, requests, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED && status.MPI_ERROR == MPI_SUCCESS);
  status.MPI_ERROR = MPI_ERR_OTHER;
  MPI_Waitany(4, requests, &index, &status);
  CHECK(index == MPI_UNDEFINED && status.MPI_ERROR == MPI_SUCCESS);
}

/* ---- requests of the program's own */

struct calls {
  int queries, frees, cancels, complete, code_of_query, code_of_free;
};

static int query(void* state, MPI_Status* status) {
  struct calls* const of = state;
  ++of->queries;
  CHECK(of->frees == 0);
  MPI_Status_set_elements(status, MPI_INT, 7);
  MPI_Status_set_cancelled(status, of->cancels > 0);
  MPI_Status_set_source(status, 40);
  MPI_Status_set_tag(status, 41);
  return of->code_of_query;
}
static int end(void* state) {
  struct calls* const of = state;
  ++of->frees;
  return of->code_of_free;
}
static int withdraw(void* state, int complete) {
  struct calls* const of = state;
  ++of->cancels;
  of->complete = complete;
  return MPI_SUCCESS;
}

static void* complete_later(void* request) {
  usleep(20000);
  MPI_Grequest_complete(*(MPI_Request*)request);
  return NULL;
}

static void generalized(void) {
  struct calls one, all[3];
  MPI_Request request, copy, requests[4];
  MPI_Status status, statuses[4];
  pthread_t thread;
  int flag = 1, count = 0, each, indices[4], in = -1;
  memset(&one, 0, sizeof one);
  MPI_Grequest_start(query, end, withdraw, &one, &request);
  MPI_Test(&request, &flag, &status);
  CHECK(!flag && one.queries == 0);
  MPI_Cancel(&request);
  CHECK(one.cancels == 1 && !one.complete);
  MPI_Grequest_complete(request);
  MPI_Cancel(&request);
  CHECK(one.cancels == 2 && one.complete);
  MPI_Request_get_status(request, &flag, &status);
  CHECK(flag && one.queries == 1 && one.frees == 0 && status.MPI_TAG == 41);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Test_cancelled(&status, &flag);
  CHECK(one.queries == 2 && one.frees == 1 && count == 7 && status.MPI_SOURCE == 40 && flag);
  CHECK(request == MPI_REQUEST_NULL);

  /* another thread completes it while this one waits */
  memset(&one, 0, sizeof one);
  MPI_Grequest_start(query, end, withdraw, &one, &request);
  copy = request;
  pthread_create(&thread, NULL, complete_later, &copy);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  pthread_join(thread, NULL);
  CHECK(one.queries == 1 && one.frees == 1);

  /* among others, and with an error */
  memset(all, 0, sizeof all);
  all[1].code_of_query = MPI_ERR_IO;
  all[2].code_of_free = MPI_ERR_NO_SUCH_FILE;
  for (each = 0; each < 3; ++each)
    MPI_Grequest_start(query, end, withdraw, &all[each], &requests[each]);
  MPI_Irecv(&in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[3]);
  MPI_Send(&rank, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
  for (each = 0; each < 3; ++each) MPI_Grequest_complete(requests[each]);
  CHECK(MPI_Request_get_status(requests[1], &flag, &status) == MPI_ERR_IO);
  CHECK(MPI_Request_get_status(requests[2], &flag, &status) == MPI_SUCCESS);
  CHECK(MPI_Waitall(4, requests, statuses) == MPI_ERR_IN_STATUS);
  CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_ERR_IO);
  CHECK(statuses[2].MPI_ERROR == MPI_ERR_NO_SUCH_FILE && statuses[3].MPI_ERROR == MPI_SUCCESS);
  CHECK(in == left);
  for (each = 0; each < 3; ++each) CHECK(all[each].frees == 1);

  /* freed before and after it is complete */
  memset(all, 0, sizeof all);
  for (each = 0; each < 2; ++each)
    MPI_Grequest_start(query, end, withdraw, &all[each], &requests[each]);
  copy = requests[0];
  MPI_Request_free(&requests[0]);
  CHECK(all[0].frees == 0 && requests[0] == MPI_REQUEST_NULL);
  MPI_Grequest_complete(copy);
  CHECK(all[0].frees == 1 && all[0].queries == 0);
  MPI_Grequest_complete(requests[1]);
  MPI_Request_free(&requests[1]);
  CHECK(all[1].frees == 1 && all[1].queries == 0);
  CHECK(MPI_Grequest_complete(copy) == MPI_ERR_REQUEST);
  CHECK(MPI_Grequest_start(query, NULL, withdraw, &one, &request) == MPI_ERR_ARG);

  memset(&one, 0, sizeof one);
  MPI_Grequest_start(query, end, withdraw, &one, &requests[0]);
  requests[1] = MPI_REQUEST_NULL;
  MPI_Testsome(2, requests, &count, indices, statuses);
  CHECK(count == 0);
  MPI_Grequest_complete(requests[0]);
  MPI_Testsome(2, requests, &count, indices, statuses);
  CHECK(count == 1 && indices[0] == 0 && statuses[0].MPI_TAG == 41 && one.frees == 1);
}

/* ---- a send with a receive */

static void exchanges(int length) {
  int* const out = malloc(sizeof(int) * 2 * (size_t)length);
  int* const in = malloc(sizeof(int) * 2 * (size_t)length);
  int each, count = 0, flag = 0;
  MPI_Datatype every_other;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  for (each = 0; each < 2 * length; ++each) out[each] = rank + each, in[each] = -1;
  MPI_Isendrecv(out, length, MPI_INT, right, 50, in, 2 * length, MPI_INT, left, 50, MPI_COMM_WORLD,
                &requests[0]);
  MPI_Isendrecv_replace_c(&out[length], length, MPI_INT, left, 51, right, 51, MPI_COMM_WORLD,
                          &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  CHECK(count == length && statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 50);
  CHECK(statuses[1].MPI_SOURCE == right && statuses[1].MPI_TAG == 51);
  for (each = 0; each < length; ++each) CHECK(in[each] == left + each);
  for (each = length; each < 2 * length; ++each) CHECK(out[each] == right + each);
  MPI_Type_vector(length, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  for (each = 0; each < 2 * length; ++each) out[each] = rank + each;
  MPI_Isendrecv_replace(out, 1, every_other, right, 52, left, 52, MPI_COMM_WORLD, &requests[0]);
  MPI_Type_free(&every_other);
  while (!flag) MPI_Test(&requests[0], &flag, &statuses[0]);
  for (each = 0; each < 2 * length; ++each)
    CHECK(out[each] == (each % 2 == 0 ? left : rank) + each);
  /* one that nobody waits for */
  in[0] = -1;
  MPI_Isendrecv_c(&rank, 1, MPI_INT, right, 53, in, 1, MPI_INT, left, 53, MPI_COMM_WORLD,
                  &requests[0]);
  MPI_Request_free(&requests[0]);
  while (*(volatile int*)in == -1) MPI_Iprobe(MPI_ANY_SOURCE, 54, MPI_COMM_WORLD, &flag, statuses);
  CHECK(in[0] == left);
  MPI_Isendrecv(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, in, 1, MPI_INT, MPI_PROC_NULL, 0,
                MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], &statuses[0]);
  CHECK(statuses[0].MPI_SOURCE == MPI_PROC_NULL && in[0] == left);
  CHECK(MPI_Isendrecv(&rank, 1, MPI_INT, size, 0, in, 1, MPI_INT, left, 60, MPI_COMM_WORLD,
                      &requests[0]) == MPI_ERR_RANK);
  MPI_Isendrecv(out, 2, MPI_INT, right, 55, in, 1, MPI_INT, left, 55, MPI_COMM_WORLD, &requests[0]);
  CHECK(MPI_Wait(&requests[0], &statuses[0]) == MPI_ERR_TRUNCATE);
  MPI_Barrier(MPI_COMM_WORLD);
  free(out), free(in);
}

/* ---- buffers */

static void take(MPI_Comm comm, int value) {
  int in = -1;
  MPI_Recv(&in, 1, MPI_INT, left, 70, comm, MPI_STATUS_IGNORE);
  CHECK(in == value);
}

static void buffers(void) {
  enum { one = sizeof(int) + MPI_BSEND_OVERHEAD };
  char of_process[one], of_comm[2 * one];
  int value = 100 + rank, attached_size = -1, length = 300000, *large, each;
  MPI_Count attached_count = -1;
  void* attached = NULL;
  MPI_Comm comm;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Buffer_attach(of_process, sizeof of_process);
  MPI_Comm_attach_buffer(comm, of_comm, sizeof of_comm);
  CHECK(MPI_Comm_attach_buffer(comm, of_comm, sizeof of_comm) == MPI_ERR_BUFFER);
  /* two messages have room in the communicator's only */
  MPI_Bsend(&value, 1, MPI_INT, right, 70, comm);
  MPI_Bsend(&value, 1, MPI_INT, right, 70, comm);
  take(comm, 100 + left), take(comm, 100 + left);
  MPI_Comm_flush_buffer(comm);
  MPI_Comm_iflush_buffer(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_detach_buffer_c(comm, &attached, &attached_count);
  CHECK(attached == of_comm && attached_count == (MPI_Count)sizeof of_comm);
  /* now the process's is used */
  MPI_Bsend(&value, 1, MPI_INT, right, 70, comm);
  take(comm, 100 + left);
  MPI_Buffer_iflush(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(MPI_Bsend(of_comm, sizeof of_comm, MPI_CHAR, right, 70, comm) == MPI_ERR_BUFFER);
  MPI_Buffer_detach(&attached, &attached_size);
  CHECK(attached == of_process && attached_size == (int)sizeof of_process);
  /* any number of messages, also ones that nobody receives before they are flushed */
  MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
  large = malloc(sizeof(int) * (size_t)length);
  for (each = 0; each < length; ++each) large[each] = rank + each;
  for (each = 0; each < 3; ++each) MPI_Bsend(large, length, MPI_INT, right, 71, comm);
  memset(large, 0, sizeof(int) * (size_t)length);
  MPI_Comm_iflush_buffer(comm, &request);
  for (each = 0; each < 3; ++each) {
    MPI_Recv(large, length, MPI_INT, left, 71, comm, MPI_STATUS_IGNORE);
    CHECK(large[0] == left && large[length - 1] == left + length - 1);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_detach_buffer(comm, &attached, &attached_size);
  CHECK(attached == MPI_BUFFER_AUTOMATIC && attached_size == 0);
  /* a communicator that goes with its buffer, and messages in it */
  MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
  MPI_Irecv(large, length, MPI_INT, left, 72, comm, &request);
  MPI_Bsend(large, length, MPI_INT, right, 72, comm);
  MPI_Comm_free(&comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  free(large);
  CHECK(MPI_Session_flush_buffer(MPI_SESSION_NULL) == MPI_ERR_SESSION);
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size, left = (rank + size - 1) % size;
  looks();
  generalized();
  exchanges(3);
  exchanges(100000);
  buffers();
  MPI_Finalize();
  return 0;
}
