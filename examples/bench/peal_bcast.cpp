// peal_bcast: time of a broadcast from rank 0, with a barrier (not counted) after each, so that the root does not run ahead; as osu_bcast.
#include "common.hpp"

namespace {

double loop(const peal::communicator& world, std::span<std::byte> buffer, int n) {
  double seconds = 0;
  for (int i = 0; i < n; ++i) {
    const auto start = bench::clock::now();
    world.bcast_into(buffer, 0);
    seconds += bench::since(start);
    world.barrier();
  }
  return seconds;
}

bool check(const peal::communicator& world, std::span<std::byte> buffer) {
  bool good = true;
  for (int message = 0; message < 4; ++message) {
    const int root = message % world.size();
    bench::fill(buffer, world.rank(), world.rank() == root ? message : -1);
    world.bcast_into(buffer, root);
    good = bench::holds(buffer, root, message) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const auto options = bench::parse(argc, argv, world, "Broadcast Latency Test", bench::of_collectives, {sizes, full, buffer}, code);
  if (!options) return code;

  const bench::buffer memory{*options, options->max_bytes};
  bench::table table{world, *options, "Broadcast Latency Test", true, {"Avg Latency(us)"}, "Latency(us)"};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto buffer = memory.first(bytes);
    const bool valid = !options->validate || bench::all(world, check(world, buffer));
    world.barrier();
    loop(world, buffer, options->warm_up_for(bytes));
    const int n = options->iterations_for(bytes);
    const auto time = bench::over_ranks(world, loop(world, buffer, n) * 1e6 / n);
    table.row(bytes, {time.mean}, time.least, time.most, n, valid);
  }
  return table.end();
}
