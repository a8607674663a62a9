// tests/launcher/report_mpi_rank.c
// A ring and a sum with MPI's C interface, for tests of the report: each rank sends ten messages of
// eight bytes to the next one, five of them by MPI_Sendrecv.
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
  MPI_Finalize();
  return 0;
}
