// tests/launcher/report_mpi_rank.c
// A ring and a sum with MPI's C interface, for tests of the report: each rank sends ten messages of
// eight bytes to the next one, five of them by MPI_Sendrecv. Then rank 0 sends one more, for which
// rank 1 waits by MPI_Waitany.
#include <mpi.h>

int main(int count, char** words) {
  int rank = 0, size = 0;
  double in = 0, out = 1;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int k = 0; k < 5; ++k) {
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, next, 2, &in, 1, MPI_DOUBLE, last, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0 && size > 1) MPI_Send(&out, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Request request;
    int which = 0;
    MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, &request);
    MPI_Waitany(1, &request, &which, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
