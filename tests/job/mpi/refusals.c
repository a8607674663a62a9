/* refusals [fatal]: one rank is refused its arguments of a collective by MPI's C interface. It gets
 * the error that the standard names, and the others do not wait for it: they get one that says
 * which rank it was, where they know. What follows on the communicator goes on. With "fatal" the
 * error ends the job, though the others are not there to hear of it. */
#include <string.h>

#include "support.h"
#include "told.h"

enum { most = 64 };

static int rank, size, culprit;
static MPI_Comm comm, ring;
static int sent[most], received[most], ones[most], places[most];
static MPI_Request request;

/* Of what one rank alone gives wrongly. */
static int count(void) { return rank == culprit ? -1 : 1; }
static int root(void) { return (culprit + 1) % size; }

static int bcast(void) { return MPI_Bcast(sent, count(), MPI_INT, culprit, comm); }
static int gather(void) {
  return MPI_Gather(sent, count(), MPI_INT, received, 1, MPI_INT, root(), comm);
}
static int gatherv(void) {
  return MPI_Gatherv(sent, count(), MPI_INT, received, ones, places, MPI_INT, root(), comm);
}
static int scatter(void) {
  return MPI_Scatter(sent, count(), MPI_INT, received, 1, MPI_INT, culprit, comm);
}
static int allgather(void) {
  return MPI_Allgather(sent, 1, MPI_INT, received, count(), MPI_INT, comm);
}
static int allgatherv(void) {
  return MPI_Allgatherv(sent, count(), MPI_INT, received, ones, places, MPI_INT, comm);
}
static int alltoall(void) {
  return MPI_Alltoall(sent, 1, MPI_INT, received, count(), MPI_INT, comm);
}
static int alltoallv(void) {
  return MPI_Alltoallv(sent, rank == culprit ? NULL : ones, places, MPI_INT, received, ones, places,
                       MPI_INT, comm);
}
static int reduce(void) {
  return MPI_Reduce(sent, received, count(), MPI_INT, MPI_SUM, root(), comm);
}
static int allreduce(void) {
  return MPI_Allreduce(sent, received, 1, MPI_INT, rank == culprit ? MPI_OP_NULL : MPI_SUM, comm);
}
static int overlapping(void) {
  return MPI_Allreduce(rank == culprit ? received : sent, received, 1, MPI_INT, MPI_SUM, comm);
}
static int scan(void) { return MPI_Scan(sent, received, count(), MPI_INT, MPI_SUM, comm); }
static int reduce_scatter(void) {
  return MPI_Reduce_scatter_block(sent, received, count(), MPI_INT, MPI_SUM, comm);
}
static int neighbor_allgather(void) {
  return MPI_Neighbor_allgather(sent, 1, MPI_INT, received, count(), MPI_INT, ring);
}
static int waited(int code) {
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static int iallgather(void) {
  return waited(MPI_Iallgather(sent, 1, MPI_INT, received, count(), MPI_INT, comm, &request));
}
static int iallreduce(void) {
  return waited(MPI_Iallreduce(sent, received, 1, rank == culprit ? MPI_DATATYPE_NULL : MPI_INT,
                               MPI_SUM, comm, &request));
}
static int ibarrier(void) { return waited(MPI_Ibarrier(comm, rank == culprit ? NULL : &request)); }
/* Made before one that is right: the two must not meet each other. */
static int persistent(void) {
  MPI_Request right = MPI_REQUEST_NULL;
  int code, sum = 0, one = 1;
  code =
      MPI_Allreduce_init(sent, received, count(), MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  CHECK(MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &right) ==
        MPI_SUCCESS);
  MPI_Start(&right);
  MPI_Wait(&right, MPI_STATUS_IGNORE);
  CHECK(sum == size);
  MPI_Request_free(&right);
  if (code != MPI_SUCCESS) return code;
  MPI_Start(&request);
  code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  return code;
}
static int split(void) {
  MPI_Comm made = MPI_COMM_NULL;
  return MPI_Comm_split(comm, rank == culprit ? -7 : 0, rank, &made);
}
static int create(void) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group all;
  int code;
  MPI_Comm_group(comm, &all);
  code = MPI_Comm_create(comm, rank == culprit ? MPI_GROUP_NULL : all, &made);
  MPI_Group_free(&all);
  return code;
}
static int cart(void) {
  MPI_Comm made = MPI_COMM_NULL;
  const int dims[1] = {rank == culprit ? -1 : size}, periods[1] = {0};
  return MPI_Cart_create(comm, 1, dims, periods, 0, &made);
}
static int dist_graph(void) {
  MPI_Comm made = MPI_COMM_NULL;
  return MPI_Dist_graph_create_adjacent(comm, rank == culprit ? -1 : 0, NULL, MPI_UNWEIGHTED, 0,
                                        NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
}

static const struct {
  const char* name;
  int (*call)(void);
  int error_class; /* on the rank that is refused */
  int all_depend;  /* all others need something of it; else some of them */
} calls[] = {
    {"bcast", bcast, MPI_ERR_COUNT, 1},
    {"gather", gather, MPI_ERR_COUNT, 0},
    {"gatherv", gatherv, MPI_ERR_COUNT, 0},
    {"scatter", scatter, MPI_ERR_COUNT, 1},
    {"allgather", allgather, MPI_ERR_COUNT, 1},
    {"allgatherv", allgatherv, MPI_ERR_COUNT, 1},
    {"alltoall", alltoall, MPI_ERR_COUNT, 1},
    {"alltoallv", alltoallv, MPI_ERR_ARG, 1},
    {"reduce", reduce, MPI_ERR_COUNT, 0},
    {"allreduce", allreduce, MPI_ERR_OP, 1},
    {"allreduce in overlapping memory", overlapping, MPI_ERR_BUFFER, 1},
    {"scan", scan, MPI_ERR_COUNT, 0},
    {"reduce_scatter", reduce_scatter, MPI_ERR_COUNT, 1},
    {"neighbor_allgather", neighbor_allgather, MPI_ERR_COUNT, 0},
    {"iallgather", iallgather, MPI_ERR_COUNT, 1},
    {"iallreduce", iallreduce, MPI_ERR_TYPE, 1},
    {"ibarrier", ibarrier, MPI_ERR_ARG, 1},
    {"persistent allreduce", persistent, MPI_ERR_COUNT, 1},
    {"split", split, MPI_ERR_ARG, 1},
    {"create", create, MPI_ERR_GROUP, 1},
    {"cart", cart, MPI_ERR_DIMS, 1},
    {"dist_graph", dist_graph, MPI_ERR_ARG, 1},
};

/* A rank that hears of it by another one only, as in a ring, may not know yet which rank it was. */
static void check(unsigned which) {
  char named[20];
  int code, right, mine[3] = {1, 0, 0},
                   sum[3] = {0, 0, 0}; /* ranks, those with an error, that name */
  told[0] = 0;
  code = calls[which].call();
  snprintf(named, sizeof named, "rank %d ", culprit);
  if (rank == culprit) right = code == calls[which].error_class && strstr(told, named) == NULL;
  else if (code == MPI_SUCCESS) right = !calls[which].all_depend;
  else {
    mine[1] = 1;
    mine[2] = strstr(told, named) != NULL;
    right = mine[2] || strstr(told, "a rank could not take its part") != NULL;
  }
  if (!right)
    fprintf(stderr, "%s, rank %d of %d, %d is refused: code %d, %s\n", calls[which].name, rank,
            size, culprit, code, told);
  CHECK(right);
  CHECK(MPI_Allreduce(mine, sum, 3, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  CHECK(sum[0] == size && (sum[1] == 0 || sum[2] != 0));
}

/* The others wait for a message: so nobody can tell them of a collective. */
static void be_fatal(void) {
  int nothing;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  if (rank == 0) MPI_Bcast(&nothing, -1, MPI_INT, 0, comm);
  else MPI_Recv(&nothing, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Errhandler handler;
  const int periods[1] = {1};
  unsigned each;
  (void)argv;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size <= most);
  for (each = 0; each != most; ++each) ones[each] = 1, places[each] = (int)each;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (argc > 1) be_fatal();
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Cart_create(comm, 1, &size, periods, 0, &ring);
  for (culprit = 0; culprit != size; ++culprit)
    for (each = 0; each != sizeof calls / sizeof calls[0]; ++each) check(each);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return 0;
}
