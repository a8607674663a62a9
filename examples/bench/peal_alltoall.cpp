// peal_alltoall: time of an exchange of blocks between all ranks, called back to back, as osu_alltoall.
#include "common.hpp"

namespace {

void loop(const peal::communicator& world, std::span<const std::byte> sent, std::span<std::byte> received, int n) {
  for (int i = 0; i < n; ++i) world.alltoall_into(sent, received);
}

// The block from rank a to rank b is that of message a + b * ranks.
bool check(const peal::communicator& world, std::span<std::byte> sent, std::span<std::byte> received, std::size_t bytes) {
  for (int to = 0; to < world.size(); ++to)
    bench::fill(sent.subspan(bytes * static_cast<std::size_t>(to), bytes), world.rank(), world.rank() + to * world.size());
  bench::fill(received, world.rank(), -1);
  world.alltoall_into(sent, received);
  bool good = true;
  for (int from = 0; from < world.size(); ++from)
    good = bench::holds(received.subspan(bytes * static_cast<std::size_t>(from), bytes), from, from + world.rank() * world.size()) && good;
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const auto options = bench::parse(argc, argv, world, "Alltoall Latency Test", bench::of_collectives, {sizes, full, buffer}, code);
  if (!options) return code;

  const auto ranks = static_cast<std::size_t>(world.size());
  const bench::buffer out{*options, options->max_bytes * ranks}, in{*options, options->max_bytes * ranks};
  bench::table table{world, *options, "Alltoall Latency Test", true, {"Avg Latency(us)"}, "Latency(us)"};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto sent = out.first(bytes * ranks), received = in.first(bytes * ranks);
    const bool valid = !options->validate || bench::all(world, check(world, sent, received, bytes));
    world.barrier();
    loop(world, sent, received, options->warm_up_for(bytes));
    const int n = options->iterations_for(bytes);
    const auto time = bench::over_ranks(world, bench::measure(n, 1, [&](int count) { loop(world, sent, received, count); }).mean * 1e6);
    table.row(bytes, {time.mean}, time.least, time.most, n, valid);
  }
  return table.end();
}
