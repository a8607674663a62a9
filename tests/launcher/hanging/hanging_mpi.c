/* Ways in which ranks wait for ever, by MPI's C interface. The argument says which one. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* Each waits for the one before it to send first. */
static void recv_cycle(void) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 17, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 takes no part in the second one of a communicator that has a name. */
static void missing_collective(void) {
  MPI_Comm solvers;
  double value = rank, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &solvers);
  MPI_Comm_set_name(solvers, "solvers");
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, solvers);
  if (rank != 0) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, solvers);
  else MPI_Probe(1, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A request that is never over, since its receiver wants another tag. */
static void lost_isend(void) {
  enum { count = 1 << 18 };
  double* const data = calloc(count, sizeof(double));
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) {
    MPI_Isend(data, count, MPI_DOUBLE, 1, 31, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(data, count, MPI_DOUBLE, 0, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  free(data);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  if (strcmp(argv[1], "recv_cycle") == 0) recv_cycle();
  else if (strcmp(argv[1], "missing_collective") == 0) missing_collective();
  else if (strcmp(argv[1], "lost_isend") == 0) lost_isend();
  MPI_Finalize();
  return 0;
}
