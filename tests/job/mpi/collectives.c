/* Collectives by MPI's C interface, blocking and nonblocking, with datatypes that have gaps, in
 * place and with operations of the program; and communicators that come and go. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static int rank, size;
static MPI_Comm comm;

static void keep_larger(void* in, void* inout, int* count, MPI_Datatype* type) {
  const int* from = in;
  int *into = inout, each;
  (void)type;
  for (each = 0; each < *count; ++each)
    if (from[each] > into[each]) into[each] = from[each];
}

static void keep_larger_early(void* in, void* inout, int* count, MPI_Datatype* type) {
  const int* from = in;
  int *into = inout, each;
  (void)type;
  for (each = 0; each < *count; ++each, from += 3, into += 3)
    if (*from > *into) *into = *from;
}

static void moving(void) {
  int *const all = malloc(sizeof(int) * (size_t)size * 3), *const sent = malloc(sizeof(int) *
                                                                                (size_t)size * 3);
  int *const counts = malloc(sizeof(int) * (size_t)size), *const places =
                                                              malloc(sizeof(int) * (size_t)size);
  int each, total = 0, own[3] = {rank, rank + 1, rank + 2};
  const int root = size - 1;
  int value = rank == root ? 42 : 0;
  MPI_Bcast(&value, 1, MPI_INT, root, comm);
  CHECK(value == 42);
  memset(all, 0, sizeof(int) * (size_t)size * 3);
  MPI_Gather(own, 3, MPI_INT, all, 3, MPI_INT, root, comm);
  for (each = 0; rank == root && each < size * 3; ++each) CHECK(all[each] == each / 3 + each % 3);
  MPI_Scatter(all, 3, MPI_INT, rank == root ? MPI_IN_PLACE : (void*)own, 3, MPI_INT, root, comm);
  CHECK(own[0] == rank && own[2] == rank + 2);
  memset(all, 0, sizeof(int) * (size_t)size * 3);
  memcpy(&all[rank * 3], own, sizeof own);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 3, MPI_INT, comm);
  for (each = 0; each < size * 3; ++each) CHECK(all[each] == each / 3 + each % 3);
  for (each = 0; each < size; ++each) { /* blocks of different lengths, in reverse */
    counts[each] = each % 3;
    total += counts[each];
  }
  for (each = 0, value = total; each < size; ++each) places[each] = value -= counts[each];
  memset(all, 0, sizeof(int) * (size_t)size * 3);
  MPI_Allgatherv(own, counts[rank], MPI_INT, all, counts, places, MPI_INT, comm);
  for (each = 0; each < size; ++each)
    for (value = 0; value < counts[each]; ++value) CHECK(all[places[each] + value] == each + value);
  for (each = 0; each < size; ++each) sent[each] = rank * 100 + each;
  MPI_Alltoall(sent, 1, MPI_INT, all, 1, MPI_INT, comm);
  for (each = 0; each < size; ++each) CHECK(all[each] == each * 100 + rank);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sent, 1, MPI_INT, comm);
  for (each = 0; each < size; ++each) CHECK(sent[each] == each * 100 + rank);
  for (each = 0; each < size; ++each) counts[each] = 1, places[each] = size - 1 - each;
  MPI_Alltoallv(all, counts, places, MPI_INT, sent, counts, places, MPI_INT, comm);
  for (each = 0; each < size; ++each) /* what `each` had in the place for this rank */
    CHECK(sent[size - 1 - each] == (size - 1 - rank) * 100 + each);
  free(all), free(sent), free(counts), free(places);
}

/* Elements that begin before the address that the program has for them: its function is given that
 * address. */
static void bounds(void) {
  int* const room = calloc((size_t)size + 8, 4 * sizeof(int));
  const int apart[2] = {0, 3};
  int sent[6], each;
  MPI_Datatype early, wide;
  MPI_Errhandler handler;
  MPI_Op op;
  MPI_Type_create_resized(MPI_INT, -(MPI_Aint)sizeof(int), 3 * sizeof(int), &early);
  MPI_Type_commit(&early);
  MPI_Op_create(keep_larger_early, 1, &op);
  for (each = 0; each < 6; ++each) sent[each] = -1;
  sent[1] = size - 1 - rank, sent[4] = 2 * (size - 1 - rank);
  MPI_Allreduce(&sent[1], &room[1], 2, early, op, comm);
  CHECK(room[0] == 0 && room[1] == size - 1 && room[2] == 0 && room[3] == 0);
  CHECK(room[4] == 2 * (size - 1) && room[5] == 0);
  MPI_Type_free(&early);
  /* Those that reach into others are refused. */
  MPI_Type_create_indexed_block(2, 1, apart, MPI_INT, &wide);
  MPI_Type_create_resized(wide, 0, sizeof(int), &early);
  MPI_Type_commit(&early);
  MPI_Comm_get_errhandler(comm, &handler);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(MPI_Allreduce(sent, room, 2, early, op, comm) == MPI_ERR_UNSUPPORTED_OPERATION);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Op_free(&op);
  MPI_Type_free(&wide);
  MPI_Type_free(&early);
  free(room);
}

static void joining(void) {
  struct {
    double value;
    int index;
  } own = {rank == size / 2 ? 100.0 : 1.0, rank}, found;
  int value = rank + 1, sum = 0, each;
  int* const blocks = malloc(sizeof(int) * (size_t)size);
  MPI_Op larger;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * (size + 1) / 2);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : (void*)&value, &value, 1, MPI_INT, MPI_MAX, 0, comm);
  CHECK(value == (rank == 0 ? size : rank + 1));
  value = rank + 1;
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == (rank + 1) * (rank + 2) / 2);
  sum = -1;
  MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == (rank == 0 ? -1 : rank * (rank + 1) / 2));
  MPI_Allreduce(&own, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  CHECK(found.value == 100.0 && found.index == size / 2);
  MPI_Op_create(keep_larger, 1, &larger);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, larger, comm);
  CHECK(value == size);
  MPI_Op_free(&larger);
  for (each = 0; each < size; ++each) blocks[each] = rank + each;
  MPI_Reduce_scatter_block(blocks, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * (size - 1) / 2 + size * rank);
  MPI_Reduce_local(&value, &sum, 1, MPI_INT, MPI_SUM);
  CHECK(sum == size * (size - 1) / 2 + size * rank + size);
  free(blocks);
}

/* A column of each rank's matrix becomes a row of the root's, and goes back. */
static void gaps(void) {
  enum { rows = 50, columns = 3 };
  int matrix[rows * columns], each;
  int* const gathered = malloc(sizeof(int) * rows * (size_t)size);
  MPI_Datatype column;
  for (each = 0; each < rows * columns; ++each) matrix[each] = rank * 1000 + each;
  MPI_Type_vector(rows, 1, columns, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Gather(&matrix[1], 1, column, gathered, rows, MPI_INT, 0, comm);
  for (each = 0; rank == 0 && each < rows * size; ++each)
    CHECK(gathered[each] == each / rows * 1000 + each % rows * columns + 1);
  MPI_Scatter(gathered, rows, MPI_INT, &matrix[2], 1, column, 0, comm);
  for (each = 0; each < rows; ++each) {
    CHECK(matrix[each * columns + 2] == rank * 1000 + each * columns + 1);
    CHECK(matrix[each * columns] == rank * 1000 + each * columns);
  }
  MPI_Bcast(&matrix[0], 1, column, 0, comm);
  for (each = 0; each < rows; ++each) CHECK(matrix[each * columns] == each * columns);
  MPI_Type_free(&column);
  free(gathered);
}

static void nonblocking(void) {
  int value = rank == 0 ? 7 : 0, sum = 0;
  int* const all = malloc(sizeof(int) * (size_t)size);
  MPI_Request requests[4];
  MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &requests[0]);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
  MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm, &requests[2]);
  MPI_Ibarrier(comm, &requests[3]);
  CHECK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(value == 7 && sum == size * (size - 1) / 2 && all[size - 1] == size - 1);
  free(all);
}

static void everything(void) {
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Barrier(comm);
  moving();
  joining();
  gaps();
  bounds();
  nonblocking();
}

int main(int argc, char** argv) {
  MPI_Comm made;
  MPI_Group group, evens;
  int world_rank, result = 0, range[1][3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  comm = MPI_COMM_WORLD;
  everything();
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_compare(MPI_COMM_WORLD, made, &result);
  CHECK(result == MPI_CONGRUENT);
  comm = made;
  everything();
  MPI_Comm_free(&made);
  CHECK(made == MPI_COMM_NULL);
  comm = MPI_COMM_SELF;
  everything();
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &made);
  comm = made;
  everything();
  MPI_Comm_free(&made);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
  comm = made;
  everything();
  MPI_Comm_free(&made);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_size(group, &size);
  range[0][0] = 0, range[0][1] = size - 1, range[0][2] = 2;
  MPI_Group_range_incl(group, 1, range, &evens);
  MPI_Comm_create(MPI_COMM_WORLD, evens, &made);
  CHECK((made == MPI_COMM_NULL) == (world_rank % 2 != 0));
  if (made != MPI_COMM_NULL) {
    comm = made;
    everything();
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&evens);
  MPI_Group_free(&group);
  return MPI_Finalize();
}
