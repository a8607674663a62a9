/* Communicators that are made of lists of members: from groups, by several threads at once, and
 * copies of communicators that come while the program goes on; what is said of them by hints. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { threads = 4, rounds = 20 };

static int rank, size;

/* Members from `first` on, every `step`-th, in reverse order where `reverse`. */
static MPI_Group every(MPI_Group of, int first, int step, int reverse) {
  MPI_Group made;
  int count = 0, *const ranks = malloc(sizeof(int) * (size_t)size);
  int each;
  for (each = first; each < size; each += step) ranks[count++] = each;
  for (each = 0; reverse && each < count / 2; ++each) {
    const int held = ranks[each];
    ranks[each] = ranks[count - 1 - each], ranks[count - 1 - each] = held;
  }
  MPI_Group_incl(of, count, ranks, &made);
  free(ranks);
  return made;
}

/* It has those members in that order, and works. */
static void check_made(MPI_Comm made, MPI_Group of) {
  MPI_Group members;
  int result, place, count, sum = -1, in_all = 0, each, world;
  MPI_Group all;
  MPI_Comm_group(made, &members);
  MPI_Group_compare(members, of, &result);
  CHECK(result == MPI_IDENT);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_size(of, &count);
  for (each = 0; each < count; ++each) {
    MPI_Group_translate_ranks(of, 1, &each, all, &world);
    in_all += world;
  }
  MPI_Comm_rank(made, &place);
  MPI_Group_rank(of, &each);
  CHECK(place == each);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
  CHECK(sum == in_all);
  MPI_Group_free(&members);
  MPI_Group_free(&all);
}

static void groups(void) {
  MPI_Group all, some, empty = MPI_GROUP_EMPTY;
  MPI_Comm made, again;
  int step, reverse, round, code;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  for (round = 0; round < 5; ++round)
    for (step = 1; step <= 3; ++step)
      for (reverse = 0; reverse < 2; ++reverse) {
        some = every(all, rank % step, step, reverse);
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 7, &made);
        check_made(made, some);
        MPI_Comm_create_from_group(some, "members.c", MPI_INFO_NULL, MPI_ERRORS_RETURN, &again);
        check_made(again, some);
        MPI_Comm_free(&again);
        MPI_Comm_create_group(made, some, 0x7fffffff, &again); /* of the one just made */
        check_made(again, some);
        MPI_Comm_free(&again);
        MPI_Comm_free(&made);
        MPI_Comm_create(MPI_COMM_WORLD, some, &made); /* groups that differ, all at once */
        check_made(made, some);
        MPI_Comm_free(&made);
        MPI_Group_free(&some);
      }
  /* Who is no member need not call. */
  some = every(all, 0, 2, 0);
  if (rank % 2 == 0 || rank == 1) {
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 1, &made);
    CHECK((made == MPI_COMM_NULL) == (rank == 1));
    if (rank != 1) check_made(made, some), MPI_Comm_free(&made);
  }
  MPI_Group_free(&some);
  MPI_Comm_create_group(MPI_COMM_SELF, empty, 1, &made);
  CHECK(made == MPI_COMM_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  code = MPI_Comm_create_group(MPI_COMM_SELF, all, 1, &made);
  CHECK(size == 1 ? code == MPI_SUCCESS : code == MPI_ERR_GROUP);
  if (size == 1) MPI_Comm_free(&made);
  CHECK(MPI_Comm_create_group(MPI_COMM_SELF, empty, -1, &made) == MPI_ERR_TAG);
  some = every(all, (rank + 1) % size, size, 0);
  code = MPI_Comm_create_from_group(some, "a", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
  CHECK(size == 1 ? code == MPI_SUCCESS : code == MPI_ERR_GROUP);
  if (size == 1) MPI_Comm_free(&made);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}

/* Each thread has a tag and a string, and makes groups of its own. */
static void* in_thread(void* number) {
  const int own = *(int*)number;
  char name[32];
  MPI_Group all, some;
  int round;
  snprintf(name, sizeof name, "thread %d", own);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  for (round = 0; round < rounds; ++round) {
    const int step = 1 + (own + round) % 3;
    MPI_Comm made;
    some = every(all, rank % step, step, own % 2);
    if (round % 2) MPI_Comm_create_group(MPI_COMM_WORLD, some, own, &made);
    else MPI_Comm_create_from_group(some, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
    check_made(made, some);
    MPI_Comm_free(&made);
    MPI_Group_free(&some);
  }
  MPI_Group_free(&all);
  return NULL;
}

static void several_threads(void) {
  pthread_t all[threads];
  int numbers[threads], each;
  for (each = 0; each < threads; ++each) {
    numbers[each] = each;
    CHECK(pthread_create(&all[each], NULL, &in_thread, &numbers[each]) == 0);
  }
  for (each = 0; each < threads; ++each) CHECK(pthread_join(all[each], NULL) == 0);
}

static int copy_attribute(MPI_Comm from, int key, void* extra, void* value, void* made, int* flag) {
  (void)from, (void)key;
  *(void**)made = (char*)value + 1;
  *flag = 1;
  ++*(int*)extra;
  return MPI_SUCCESS;
}
static int fail_to_copy(MPI_Comm from, int key, void* extra, void* value, void* made, int* flag) {
  (void)from, (void)key, (void)extra, (void)value, (void)made, (void)flag;
  return MPI_ERR_OTHER;
}
static int remove_attribute(MPI_Comm from, int key, void* value, void* extra) {
  (void)from, (void)key, (void)value;
  --*(int*)extra;
  return MPI_SUCCESS;
}

static void copies(void) {
  enum { many = 12 };
  MPI_Comm made[many], base, blocking;
  MPI_Request requests[many + 1];
  int each, sum, value = -1, held = 0, key, bad, flag, result;
  void* found;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &base);
  MPI_Comm_create_keyval(copy_attribute, remove_attribute, &key, &held);
  MPI_Comm_set_attr(base, key, &value);
  ++held;
  /* Another rank may be late: the call does not wait for it, though it is the first one that says
   * which copy it is. */
  if (size > 1 && rank == 0) MPI_Recv(&value, 1, MPI_INT, size - 1, 0, base, MPI_STATUS_IGNORE);
  MPI_Comm_idup(base, &made[0], &requests[0]);
  CHECK(held == 2);
  /* Bindings for other languages set the handler of whatever they get. */
  MPI_Comm_set_errhandler(made[0], MPI_ERRORS_RETURN);
  MPI_Comm_get_errhandler(made[0], &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  if (size > 1 && rank == size - 1) MPI_Send(&rank, 1, MPI_INT, 0, 0, base);
  /* Several at a time, among other collectives, finished in another order. */
  for (each = 1; each < many; ++each) MPI_Comm_idup(base, &made[each], &requests[each]);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, base, &requests[many]);
  MPI_Comm_dup(base, &blocking);
  for (each = many; each >= 0; --each) MPI_Wait(&requests[each], MPI_STATUS_IGNORE);
  CHECK(sum == size * (size - 1) / 2);
  CHECK(held == many + 2);
  for (each = 0; each < many; ++each) {
    MPI_Comm_compare(base, made[each], &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_get_attr(made[each], key, &found, &flag);
    CHECK(flag && found == (char*)&value + 1);
    sum = -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, made[each]);
    CHECK(sum == size - 1);
  }
  for (each = 0; each < many; ++each) MPI_Comm_free(&made[each]);
  CHECK(held == 2);
  /* The program may free what it copies, and need not wait at once. */
  MPI_Comm_idup(blocking, &made[0], &requests[0]);
  MPI_Comm_free(&blocking);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Barrier(made[0]);
  MPI_Comm_disconnect(&made[0]);
  CHECK(made[0] == MPI_COMM_NULL && held == 1);
  /* Where the program's function fails, it has no copy, and the others go on. */
  MPI_Comm_create_keyval(fail_to_copy, MPI_COMM_NULL_DELETE_FN, &bad, NULL);
  MPI_Comm_set_errhandler(base, MPI_ERRORS_RETURN);
  if (rank == 0) MPI_Comm_set_attr(base, bad, NULL);
  result = MPI_Comm_idup(base, &made[0], &requests[0]);
  CHECK(result == (rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS));
  if (rank != 0) MPI_Wait(&requests[0], MPI_STATUS_IGNORE), MPI_Comm_free(&made[0]);
  MPI_Comm_free_keyval(&bad);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free(&base);
}

static void hints(void) {
  MPI_Info info, used;
  MPI_Comm made;
  MPI_Request request;
  char value[16];
  int length = sizeof value, flag, count;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Info_set(info, "of no meaning", "true");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
  MPI_Comm_get_info(made, &used);
  MPI_Info_get_nkeys(used, &count);
  MPI_Info_get_string(used, "mpi_assert_no_any_tag", &length, value, &flag);
  CHECK(count == 1 && flag && strcmp(value, "true") == 0); /* more of it: hints.c */
  MPI_Info_free(&used);
  MPI_Comm_free(&made);
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Info_set(info, "mpi_assert_exact_length", "false");
  MPI_Comm_set_info(made, info);
  MPI_Comm_get_info(made, &used);
  length = sizeof value;
  MPI_Info_get_string(used, "mpi_assert_exact_length", &length, value, &flag);
  CHECK(flag && strcmp(value, "false") == 0);
  MPI_Info_free(&used);
  MPI_Comm_free(&made);
  MPI_Info_free(&info);
}

static MPI_Comm split_by(int type, const char* key, const char* value) {
  MPI_Comm made;
  MPI_Info info = MPI_INFO_NULL;
  if (key != NULL) MPI_Info_create(&info), MPI_Info_set(info, key, value);
  MPI_Comm_split_type(MPI_COMM_WORLD, type, -rank, info, &made);
  if (key != NULL) MPI_Info_free(&info);
  return made;
}

static void split_types(void) {
  static const char* const resources[] = {"mpi_shared_memory", "hwloc://Machine", "hwloc://Package",
                                          "hwloc://NUMANode", "hwloc://L3Cache"};
  const char* const key = "mpi_hw_resource_type";
  MPI_Comm node = split_by(MPI_COMM_TYPE_SHARED, NULL, NULL), made;
  MPI_Info info;
  int result, count, place, each, flag, length = 0;
  MPI_Comm_rank(node, &place);
  MPI_Comm_size(node, &count);
  CHECK(count == size ? place == size - 1 - rank : count < size); /* by the key */
  for (each = 0; each < 5; ++each) {
    made = split_by(each % 2 ? MPI_COMM_TYPE_RESOURCE_GUIDED : MPI_COMM_TYPE_HW_GUIDED, key,
                    resources[each]);
    if (each < 2) { /* what all processes of a node have */
      MPI_Comm_compare(node, made, &result);
      CHECK(result == MPI_CONGRUENT);
    }
    if (made == MPI_COMM_NULL) continue; /* this process runs in more than one */
    MPI_Comm_size(made, &result);
    CHECK(result <= count);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
  }
  CHECK(split_by(MPI_COMM_TYPE_HW_GUIDED, key, "hwloc://nothing") == MPI_COMM_NULL);
  CHECK(split_by(MPI_COMM_TYPE_HW_GUIDED, NULL, NULL) == MPI_COMM_NULL);
  CHECK(split_by(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://no") == MPI_COMM_NULL);
  CHECK(split_by(MPI_UNDEFINED, NULL, NULL) == MPI_COMM_NULL);
  made = split_by(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://WORLD");
  MPI_Comm_rank(made, &place);
  MPI_Comm_size(made, &result);
  CHECK(result == size && place == size - 1 - rank);
  MPI_Comm_free(&made);
  made = split_by(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://self");
  MPI_Comm_size(made, &result);
  CHECK(result == 1);
  MPI_Comm_free(&made);
  MPI_Get_hw_resource_info(&info);
  for (each = 0; each < 5; ++each) { /* whether it runs in one is what splits go by */
    char value[8];
    length = sizeof value;
    MPI_Info_get_string(info, resources[each], &length, value, &flag);
    CHECK(flag);
    made = split_by(MPI_COMM_TYPE_HW_GUIDED, key, resources[each]);
    CHECK((made != MPI_COMM_NULL) == (strcmp(value, "true") == 0));
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  }
  MPI_Info_free(&info);
  length = 0;
  /* Smaller, and said by what; or there is nothing to divide by. */
  MPI_Info_create(&info);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &made);
  if (made != MPI_COMM_NULL) {
    MPI_Comm_size(made, &result);
    MPI_Info_get_string(info, key, &length, NULL, &flag);
    CHECK(result < size && flag);
    MPI_Comm_free(&made);
  }
  MPI_Info_free(&info);
  MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_split_type(node, -77, 0, MPI_INFO_NULL, &made) == MPI_ERR_ARG);
  MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
  MPI_Comm parent;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL);
  groups();
  if (provided == MPI_THREAD_MULTIPLE) several_threads();
  copies();
  hints();
  split_types();
  return MPI_Finalize();
}
