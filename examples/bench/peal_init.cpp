// peal_init: how long a rank takes to start: the constructor of the environment, on the fastest
// rank, the slowest, and on average; as osu_init.
#include <fmt/format.h>

#include "common/common.hpp"

int main(int argc, char** argv) {
  const auto start = bench::clock::now();
  peal::environment env{argc, argv};
  const double milliseconds = bench::since(start) * 1e3;
  const auto& world = env.world();
  const auto all = bench::over_ranks(world, milliseconds);
  if (world.rank() == 0)
    fmt::print("# peal Init Test\nnprocs: {}, min: {:.2f} ms, max: {:.2f} ms, avg: {:.2f} ms\n",
               world.size(), all.least, all.most, all.mean);
  return 0;
}
