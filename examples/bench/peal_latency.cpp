// peal_latency: one-way latency between two ranks: ping-pong of blocking sends and receives, as
// osu_latency.
#include "common/common.hpp"

namespace {

constexpr peal::tag ping{1};

void ping_pong(const peal::communicator& world, std::span<const std::byte> sent,
               std::span<std::byte> received, int n) {
  for (int i = 0; i < n; ++i) {
    if (world.rank() == 0) {
      world.send(sent, 1, ping);
      world.recv_into(received, 1, ping);
    } else if (world.rank() == 1) {
      world.recv_into(received, 0, ping);
      world.send(sent, 0, ping);
    }
  }
}

bool check(const peal::communicator& world, std::span<std::byte> sent,
           std::span<std::byte> received) {
  bool good = true;
  if (world.rank() > 1) return good;
  for (int message = 0; message < 4; ++message) {
    bench::fill(sent, world.rank(), message);
    bench::fill(received, world.rank(), -1);
    ping_pong(world, sent, received, 1);
    good = bench::holds(received, 1 - world.rank(), message) && good;
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
      bench::parse(argc, argv, world, "Latency Test", {}, {sizes, full, buffer}, code);
  if (!options) return code;
  if (!bench::enough_ranks(world, 2, false)) return 2;

  const bench::buffer out{*options, options->max_bytes}, in{*options, options->max_bytes};
  bench::table table{world, *options, "Latency Test", true, {"Avg Latency(us)"}, "Latency(us)"};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto sent = out.first(bytes), received = in.first(bytes);
    const bool valid = !options->validate || bench::all(world, check(world, sent, received));
    world.barrier();
    ping_pong(world, sent, received, options->warm_up_for(bytes));
    const int n = options->iterations_for(bytes);
    const auto time = bench::measure(n, options->parts(),
                                     [&](int count) { ping_pong(world, sent, received, count); });
    table.row(bytes, {time.mean * 0.5e6}, time.least * 0.5e6, time.most * 0.5e6, n, valid);
  }
  return table.end();
}
