// Time of a barrier, called back to back.
#include "common.h"

static void loop(int n) {
  for (int i = 0; i < n; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  settings s = begin(&argc, &argv, (settings){.iterations = 1000, .warm_up = 200});
  title(&s, "Barrier Latency Test", "# Avg Latency(us)");
  loop(s.warm_up + 1);
  double start = MPI_Wtime();
  loop(s.iterations);
  double all = mean(&s, (MPI_Wtime() - start) * 1e6 / s.iterations);
  if (s.rank == 0) printf("%17.3f\n", all);
  MPI_Finalize();
  return 0;
}
