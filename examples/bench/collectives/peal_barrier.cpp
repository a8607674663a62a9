// peal_barrier: time of a barrier, called back to back, as osu_barrier.
#include "../common/collective.hpp"

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const auto options = bench::parse(argc, argv, world, "Barrier Latency Test", {.iterations = 1000},
                                    {full, budget}, code);
  if (!options) return code;

  const auto loop = [&world](int n) {
    return bench::back_to_back(n, [&world] { world.barrier(); });
  };
  bench::table table{world,        *options, "Barrier Latency Test", false, {"Avg Latency(us)"},
                     "Latency(us)"};
  loop(1);
  const int n = bench::planned(world, *options, 0, loop);
  const auto time = bench::over_ranks(world, loop(n) * 1e6 / n);
  table.row(0, {time.mean}, time.least, time.most, n, true);
  return table.end();
}
