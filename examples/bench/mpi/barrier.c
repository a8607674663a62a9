// Time of a barrier, called back to back.
#include "collective.h"

static double loop(char* sent, char* received, size_t bytes, int n) {
  (void)sent, (void)received, (void)bytes;
  double start = MPI_Wtime();
  for (int i = 0; i < n; ++i) MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

int main(int argc, char** argv) {
  settings s = begin(&argc, &argv, (settings){.iterations = 1000, .warm_up = 200});
  title(&s, "Barrier Latency Test", "# Avg Latency(us)");
  loop(NULL, NULL, 0, 1);
  int n = planned(&s, 0, NULL, NULL, loop);
  double all = mean(&s, loop(NULL, NULL, 0, n) * 1e6 / n);
  if (s.rank == 0) printf("%17.3f\n", all);
  MPI_Finalize();
  return 0;
}
