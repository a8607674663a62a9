// tests/launcher/numbered_rank.c
// Prints which of several programs of its job it is, as MPI has it: "rank 2 program 1".
#include <mpi.h>
#include <stdio.h>

int main(int count, char** words) {
  int rank = 0, known = 0;
  int* program = NULL;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &known);
  if (known) printf("rank %d program %d\n", rank, *program);
  MPI_Finalize();
  return 0;
}
