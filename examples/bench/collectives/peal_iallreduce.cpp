// peal_iallreduce: how much of a nonblocking sum of floats over all ranks is hidden by a
// computation, as osu_iallreduce.
#include "../common/overlap.hpp"

namespace {

// Small whole numbers, whose sum is exact in any order.
bool check(const peal::communicator& world, const bench::computation& work,
           std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 1000 + static_cast<std::size_t>(world.rank()));
  auto under_way = world.iallreduce(peal::in_place(values));
  work.run(1e-5);
  under_way.wait();
  const int ranks = world.size();
  bool good = true;
  for (std::size_t i = 0; i < values.size(); ++i)
    good = values[i] == static_cast<float>(i % 1000) * static_cast<float>(ranks) +
                            static_cast<float>(ranks * (ranks - 1) / 2) &&
           good;
  std::fill(values.begin(), values.end(), 0.0F);
  return bench::all(world, good);
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  auto defaults = bench::of_collectives;
  defaults.min_bytes = sizeof(float);
  const auto options = bench::parse(argc, argv, world, "Nonblocking Allreduce Test", defaults,
                                    {sizes, buffer, times}, code);
  if (!options) return code;

  const bench::buffer memory{*options, options->max_bytes};
  const bench::computation work;
  bench::table table{world, *options, "Nonblocking Allreduce Test", true, bench::overlap_columns(),
                     ""};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto values = memory.floats(bytes);
    const bool valid = !options->validate || check(world, work, values);
    const auto start = [&] { return world.iallreduce(peal::in_place(values)); };
    const int n = options->iterations_for(bytes);
    const auto finish = [](auto& under_way) { under_way.wait(); };
    const auto found = bench::measure_overlap(world, work, options->warm_up_for(bytes), n, start,
                                              finish, options->times);
    bench::overlap_row(table, bytes, found, n, valid);
  }
  return table.end();
}
