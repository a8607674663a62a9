// A program of C++ for MPI's C interface, for mpicxx and for CMake's find_package(MPI).
#include <mpi.h>

#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int one = 1;
  int ranks = 0;
  MPI_Reduce(&one, &ranks, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::cout << ranks << " ranks" << std::endl;
  return MPI_Finalize();
}
