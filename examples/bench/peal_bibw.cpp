// peal_bibw: bandwidth between rank 0 and rank 1 in both directions at once, as osu_bibw.
#include "common/common.hpp"

namespace {

constexpr peal::tag data{100}, done{101};

struct windows {
  std::vector<peal::request<>> sends;
  std::vector<peal::request<peal::status>> receives;
};

void exchange(const peal::communicator& world, std::span<const std::byte> sent,
              std::span<std::byte> received, windows& under_way, int n) {
  const int other = 1 - world.rank();
  std::array<std::byte, 4> answer{};
  for (int i = 0; i < n; ++i) {
    for (auto& request : under_way.receives) request = world.irecv_into(received, other, data);
    for (auto& request : under_way.sends) request = world.isend(sent, other, data);
    for (auto& request : under_way.sends) request.wait();
    for (auto& request : under_way.receives) request.wait();
    if (world.rank() == 0) world.recv_into(answer, other, done);
    else world.send(answer, other, done);
  }
}

// Both directions once, with one message.
bool check(const peal::communicator& world, std::span<std::byte> sent,
           std::span<std::byte> received) {
  bool good = true;
  windows one{std::vector<peal::request<>>(1), std::vector<peal::request<peal::status>>(1)};
  for (int message = 0; message < 4; ++message) {
    bench::fill(sent, world.rank(), message);
    bench::fill(received, world.rank(), -1);
    exchange(world, sent, received, one, 1);
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
  const bench::options defaults{
      .iterations = 100, .warm_up = 10, .large_iterations = 20, .large_warm_up = 2};
  const auto options = bench::parse(argc, argv, world, "Bi-Directional Bandwidth Test", defaults,
                                    {sizes, window, full, buffer}, code);
  if (!options) return code;
  if (!bench::enough_ranks(world, 2, false)) return 2;

  const auto count = static_cast<std::size_t>(options->window);
  const bench::buffer out{*options, options->max_bytes}, in{*options, options->max_bytes};
  windows under_way{std::vector<peal::request<>>(count),
                    std::vector<peal::request<peal::status>>(count)};
  bench::table table{
      world, *options, "Bi-Directional Bandwidth Test", true, {"Bandwidth (MB/s)"}, "Bandwidth"};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto sent = out.first(bytes), received = in.first(bytes);
    const bool takes_part = world.rank() < 2;
    const bool valid =
        !options->validate || bench::all(world, !takes_part || check(world, sent, received));
    world.barrier();
    if (!takes_part) continue;
    exchange(world, sent, received, under_way, options->warm_up_for(bytes));
    const int n = options->iterations_for(bytes);
    const auto time = bench::measure(
        n, options->parts(), [&](int part) { exchange(world, sent, received, under_way, part); });
    const double megabytes = 2.0 * static_cast<double>(bytes) * options->window / 1e6;
    table.row(bytes, {megabytes / time.mean}, megabytes / time.most, megabytes / time.least, n,
              valid);
  }
  return table.end();
}
