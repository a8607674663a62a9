/* Sessions without MPI_Init, one after the other and several at a time; with an argument, MPI_Init
 * between them. */
#include <string.h>

#include "support.h"

static int codes_seen;

static void count_code(MPI_Session* session, int* code, ...) {
  (void)session, (void)code;
  ++codes_seen;
}

enum { room_of_one = sizeof(int) + MPI_BSEND_OVERHEAD };

/* Exactly one message has room at a time: then the memory is the session's. */
static void send_by(MPI_Comm comm, MPI_Session session, char* attached, int line) {
  int rank, size, value, got = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  value = 10 * line + rank;
  CHECK(MPI_Bsend(attached, room_of_one, MPI_CHAR, (rank + 1) % size, 5, comm) == MPI_ERR_BUFFER);
  CHECK(MPI_Bsend(&value, 1, MPI_INT, (rank + 1) % size, 5, comm) == MPI_SUCCESS);
  MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 5, comm, MPI_STATUS_IGNORE);
  CHECK(got == 10 * line + (rank + size - 1) % size);
  MPI_Session_flush_buffer(session);
}
#define SEND_BY(comm) send_by((comm), session, attached, __LINE__)

/* Buffered sends of whatever comes from a session have the memory that was attached to it. */
static void send_buffered(MPI_Session session, MPI_Session other) {
  char attached[room_of_one];
  const int first = 0;
  int rank, size, bytes = 0, ranges[1][3] = {{0, 0, 1}}, value = 1;
  void* was = NULL;
  MPI_Group world, chosen, ranged, both, whole;
  MPI_Comm all, made, between;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
  MPI_Comm_create_from_group(world, "buffered", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  /* nothing is attached, or to another session */
  CHECK(MPI_Bsend(&value, 1, MPI_INT, rank, 5, all) == MPI_ERR_BUFFER);
  MPI_Session_attach_buffer(other, attached, sizeof attached);
  CHECK(MPI_Bsend(&value, 1, MPI_INT, rank, 5, all) == MPI_ERR_BUFFER);
  MPI_Session_detach_buffer(other, &was, &bytes);
  MPI_Session_attach_buffer(session, attached, sizeof attached);
  SEND_BY(all);
  MPI_Comm_dup(all, &made);
  SEND_BY(made);
  MPI_Comm_free(&made);
  MPI_Comm_split(all, rank % 2, rank, &made);
  SEND_BY(made);
  MPI_Comm_free(&made);
  /* the group of a communicator, and groups of groups */
  MPI_Comm_group(all, &whole);
  MPI_Comm_create_from_group(whole, "whole", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
  SEND_BY(made);
  MPI_Comm_free(&made);
  MPI_Group_incl(world, 1, &first, &chosen);
  MPI_Group_range_excl(world, 1, ranges, &ranged);
  MPI_Group_union(ranged, chosen, &both);
  MPI_Comm_create_from_group(both, "both", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
  SEND_BY(made);
  MPI_Comm_free(&made);
  if (size > 1) {
    MPI_Group* const own = rank == 0 ? &chosen : &ranged;
    MPI_Comm_create_from_group(*own, "own", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
    SEND_BY(made);
    MPI_Comm_free(&made);
    MPI_Intercomm_create_from_groups(*own, 0, rank == 0 ? ranged : chosen, 0, "between",
                                     MPI_INFO_NULL, MPI_ERRORS_RETURN, &between);
    if (rank < 2) CHECK(MPI_Bsend(&value, 1, MPI_INT, 0, 6, between) == MPI_SUCCESS);
    if (rank < 2) MPI_Recv(&value, 1, MPI_INT, 0, 6, between, MPI_STATUS_IGNORE);
    MPI_Comm_free(&between);
  }
  MPI_Session_detach_buffer(session, &was, &bytes);
  CHECK(was == attached && bytes == (int)sizeof attached);
  CHECK(MPI_Bsend(&value, 1, MPI_INT, rank, 5, all) == MPI_ERR_BUFFER);
  MPI_Group_free(&world);
  MPI_Group_free(&whole);
  MPI_Group_free(&chosen);
  MPI_Group_free(&ranged);
  MPI_Group_free(&both);
  MPI_Comm_free(&all);
}

/* Everything that a library does which knows nothing of the rest of the program. */
static void work(MPI_Session session, const char* name) {
  MPI_Group world, self;
  MPI_Comm all, own;
  int rank, size, sum = 0, psets, each, length, flag, result;
  char set[MPI_MAX_PSET_NAME_LEN], value[16];
  MPI_Info info;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &psets);
  CHECK(psets >= 2);
  for (each = 0; each < psets; ++each) {
    length = 0;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, each, &length, NULL);
    CHECK(length > 1 && length <= (int)sizeof set);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, each, &length, set);
    CHECK((int)strlen(set) + 1 == length);
    MPI_Session_get_pset_info(session, set, &info);
    length = sizeof value;
    MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
    CHECK(flag);
    MPI_Info_free(&info);
  }
  MPI_Session_get_info(session, &info);
  length = sizeof set;
  MPI_Info_get_string(info, "thread_level", &length, set, &flag);
  CHECK(flag && strncmp(set, "MPI_THREAD_", 11) == 0);
  MPI_Info_free(&info);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
  MPI_Group_from_session_pset(session, "mpi://self", &self);
  MPI_Comm_create_from_group(world, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &all);
  MPI_Comm_create_from_group(self, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &own);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == size * (size - 1) / 2);
  MPI_Comm_size(own, &result);
  CHECK(result == 1);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &sum, 1, MPI_INT, (rank + size - 1) % size,
               3, all, MPI_STATUS_IGNORE);
  CHECK(sum == (rank + size - 1) % size);
  CHECK(MPI_Session_fromint(MPI_Session_toint(session)) == session);
  MPI_Comm_disconnect(&all);
  MPI_Comm_free(&own);
  MPI_Group_free(&world);
  MPI_Group_free(&self);
}

int main(int argc, char** argv) {
  MPI_Session first, second;
  MPI_Errhandler counts;
  MPI_Info info;
  int round, flag, code;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
  for (round = 0; round < 3; ++round) {
    MPI_Session_init(round == 0 ? info : MPI_INFO_NULL, MPI_ERRORS_RETURN, &first);
    work(first, "first");
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second);
    CHECK(first != second);
    send_buffered(first, second);
    work(second, "second");
    MPI_Session_finalize(&first);
    CHECK(first == MPI_SESSION_NULL);
    work(second, "second");
    MPI_Session_finalize(&second);
  }
  MPI_Initialized(&flag);
  CHECK(!flag);
  /* What is wrong becomes a code, by the error handler of the session. */
  MPI_Session_create_errhandler(count_code, &counts);
  MPI_Session_init(MPI_INFO_NULL, counts, &first);
  MPI_Errhandler_free(&counts);
  MPI_Group group;
  code = MPI_Group_from_session_pset(first, "mpi://nobody", &group);
  CHECK(code == MPI_ERR_ARG && codes_seen == 1);
  code = MPI_Session_get_nth_pset(first, MPI_INFO_NULL, 1000, &flag, NULL);
  CHECK(code == MPI_ERR_ARG && codes_seen == 2);
  MPI_Info_set(info, "thread_level", "many");
  code = MPI_Session_init(info, MPI_ERRORS_RETURN, &second);
  CHECK(code == MPI_ERR_INFO_VALUE);
  MPI_Session_finalize(&first);
  MPI_Info_free(&info);
  if (argc > 1) {
    int rank, sum = 0, size;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    work(first, "beside MPI_Init");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    if (strcmp(argv[1], "last") == 0) { /* the session goes on after MPI_Finalize */
      MPI_Finalize();
      MPI_Finalized(&flag);
      CHECK(flag);
      work(first, "after MPI_Finalize");
      MPI_Session_finalize(&first);
    } else {
      MPI_Session_finalize(&first);
      MPI_Finalize();
    }
    /* The job is over, and there is no other one. */
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first) == MPI_ERR_OTHER);
  }
  return 0;
}
