// What the benchmarks of collectives share; see collective.hpp.
#include "collective.hpp"

namespace bench {

void fill_numbers(std::span<float> values, int rank, std::size_t message) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = number(rank, i, message);
}

bool hold_sums(std::span<const float> values, int ranks, std::size_t message, std::size_t first) {
  const auto of_ranks = static_cast<float>(ranks * (ranks - 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != number(0, first + i, message) * static_cast<float>(ranks) + of_ranks)
      return false;
  return true;
}

int run_collective(int argc, char** argv, const collective& what) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum has;
  auto defaults = of_collectives;
  defaults.min_bytes = what.least;
  const auto options = what.is_apart ? parse(argc, argv, world, what.title, defaults,
                                             {sizes, full, buffer, budget, barrier}, code)
                                     : parse(argc, argv, world, what.title, defaults,
                                             {sizes, full, buffer, budget}, code);
  if (!options) return code;
  counts_barriers = options->with_barrier;

  const auto ranks = static_cast<std::size_t>(world.size());
  const std::size_t given = what.sends == blocks::each ? ranks : 1,
                    taken = what.receives == blocks::each ? ranks : 1;
  const bench::buffer out{*options, options->max_bytes * given},
      in{*options, options->max_bytes * taken};
  table table{world, *options, what.title, true, {"Avg Latency(us)"}, "Latency(us)"};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto sent = out.first(bytes * given), received = in.first(bytes * taken);
    const bool valid = !options->validate || all(world, what.check(world, sent, received, bytes));
    std::fill(sent.begin(), sent.end(), std::byte{});
    world.barrier();
    const int n = planned(world, *options, bytes,
                          [&](int count) { what.loop(world, sent, received, count); });
    world.barrier();
    const auto time = over_ranks(world, what.loop(world, sent, received, n) * 1e6 / n);
    table.row(bytes, {time.mean}, time.least, time.most, n, valid);
  }
  return table.end();
}

}  // namespace bench
