// peal_allreduce: time of a sum of floats over all ranks, called back to back, as osu_allreduce.
#include "common.hpp"

namespace {

void loop(const peal::communicator& world, std::span<const float> sent, std::span<float> received, int n) {
  for (int i = 0; i < n; ++i) world.allreduce_into(sent, received);
}

// Small whole numbers, whose sum is exact in any order.
bool check(const peal::communicator& world, std::span<float> sent, std::span<float> received) {
  bool good = true;
  const int ranks = world.size();
  for (std::size_t message = 0; message < 4; ++message) {
    for (std::size_t i = 0; i < sent.size(); ++i)
      sent[i] = static_cast<float>((i + message) % 1000 + static_cast<std::size_t>(world.rank()));
    std::fill(received.begin(), received.end(), -1.0F);
    world.allreduce_into(std::span<const float>{sent}, received);
    const auto of_ranks = static_cast<float>(ranks * (ranks - 1) / 2);
    for (std::size_t i = 0; i < sent.size(); ++i)
      good = received[i] == static_cast<float>((i + message) % 1000) * static_cast<float>(ranks) + of_ranks && good;
  }
  std::fill(sent.begin(), sent.end(), 0.0F);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  auto defaults = bench::of_collectives;
  defaults.min_bytes = sizeof(float);
  const auto options = bench::parse(argc, argv, world, "Allreduce Latency Test", defaults, {sizes, full, buffer}, code);
  if (!options) return code;

  const bench::buffer out{*options, options->max_bytes}, in{*options, options->max_bytes};
  bench::table table{world, *options, "Allreduce Latency Test", true, {"Avg Latency(us)"}, "Latency(us)"};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto sent = out.floats(bytes), received = in.floats(bytes);
    const bool valid = !options->validate || bench::all(world, check(world, sent, received));
    world.barrier();
    loop(world, sent, received, options->warm_up_for(bytes));
    const int n = options->iterations_for(bytes);
    const auto time = bench::over_ranks(world, bench::measure(n, 1, [&](int count) { loop(world, sent, received, count); }).mean * 1e6);
    table.row(bytes, {time.mean}, time.least, time.most, n, valid);
  }
  return table.end();
}
