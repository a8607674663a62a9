// peal_barrier: time of a barrier, called back to back, as osu_barrier.
#include "common.hpp"

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const auto options = bench::parse(argc, argv, world, "Barrier Latency Test", {.iterations = 1000}, {full}, code);
  if (!options) return code;

  const auto loop = [&world](int n) {
    for (int i = 0; i < n; ++i) world.barrier();
  };
  bench::table table{world, *options, "Barrier Latency Test", false, {"Avg Latency(us)"}, "Latency(us)"};
  loop(options->warm_up + 1);
  const auto time = bench::over_ranks(world, bench::measure(options->iterations, 1, loop).mean * 1e6);
  table.row(0, {time.mean}, time.least, time.most, options->iterations, true);
  return table.end();
}
