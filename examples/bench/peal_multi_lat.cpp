// peal_multi_lat: one-way latency of several pairs at once: rank i plays ping-pong with rank i +
// ranks / 2, as osu_multi_lat.
#include "common/common.hpp"

namespace {

constexpr peal::tag ping{1};

void ping_pong(const peal::communicator& world, int partner, std::span<const std::byte> sent,
               std::span<std::byte> received, int n) {
  for (int i = 0; i < n; ++i) {
    if (world.rank() < partner) {
      world.send(sent, partner, ping);
      world.recv_into(received, partner, ping);
    } else {
      world.recv_into(received, partner, ping);
      world.send(sent, partner, ping);
    }
  }
}

bool check(const peal::communicator& world, int partner, std::span<std::byte> sent,
           std::span<std::byte> received) {
  bool good = true;
  for (int message = 0; message < 4; ++message) {
    bench::fill(sent, world.rank(), message);
    bench::fill(received, world.rank(), -1);
    ping_pong(world, partner, sent, received, 1);
    good = bench::holds(received, partner, message) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const auto options =
      bench::parse(argc, argv, world, "Multi-pair Latency Test", {}, {sizes, full, buffer}, code);
  if (!options) return code;
  if (!bench::enough_ranks(world, 2, true)) return 2;

  const int half = world.size() / 2;
  const int partner = world.rank() < half ? world.rank() + half : world.rank() - half;
  const bench::buffer out{*options, options->max_bytes}, in{*options, options->max_bytes};
  bench::table table{world,        *options, "Multi-pair Latency Test", true, {"Avg Latency(us)"},
                     "Latency(us)"};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto sent = out.first(bytes), received = in.first(bytes);
    const bool valid =
        !options->validate || bench::all(world, check(world, partner, sent, received));
    world.barrier();
    ping_pong(world, partner, sent, received, options->warm_up_for(bytes));
    const int n = options->iterations_for(bytes);
    const auto time =
        bench::measure(n, 1, [&](int count) { ping_pong(world, partner, sent, received, count); });
    const auto pairs = bench::over_ranks(world, time.mean * 0.5e6);
    table.row(bytes, {pairs.mean}, pairs.least, pairs.most, n, valid);
  }
  return table.end();
}
