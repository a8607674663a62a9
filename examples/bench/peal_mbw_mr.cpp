// peal_mbw_mr: bandwidth and message rate of several pairs at once: rank i sends windows to rank i
// + ranks / 2, as osu_mbw_mr.
#include "common/common.hpp"

namespace {

constexpr peal::tag data{100}, done{101};

struct pairing {
  bool sends;
  int partner;
};

void stream(const peal::communicator& world, pairing pair, std::span<std::byte> buffer,
            std::vector<peal::request<>>& sends, std::vector<peal::request<peal::status>>& receives,
            int n) {
  std::array<std::byte, 4> answer{};
  for (int i = 0; i < n; ++i) {
    if (pair.sends) {
      for (auto& request : sends) request = world.isend(buffer, pair.partner, data);
      for (auto& request : sends) request.wait();
      world.recv_into(answer, pair.partner, done);
    } else {
      for (auto& request : receives) request = world.irecv_into(buffer, pair.partner, data);
      for (auto& request : receives) request.wait();
      world.send(answer, pair.partner, done);
    }
  }
}

bool check(const peal::communicator& world, pairing pair, std::span<std::byte> buffer) {
  bool good = true;
  std::vector<peal::request<>> sends(1);
  std::vector<peal::request<peal::status>> receives(1);
  for (int message = 0; message < 4; ++message) {
    bench::fill(buffer, world.rank(), pair.sends ? message : -1);
    stream(world, pair, buffer, sends, receives, 1);
    good = (pair.sends || bench::holds(buffer, pair.partner, message)) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const std::string title = "Multiple Bandwidth / Message Rate Test";
  const bench::options defaults{
      .iterations = 100, .warm_up = 10, .large_iterations = 20, .large_warm_up = 2};
  const auto options =
      bench::parse(argc, argv, world, title, defaults, {sizes, window, full, buffer}, code);
  if (!options) return code;
  if (!bench::enough_ranks(world, 2, true)) return 2;

  const int pairs = world.size() / 2;
  const bool first_half = world.rank() < pairs;
  const pairing pair{first_half, first_half ? world.rank() + pairs : world.rank() - pairs};
  const bench::buffer memory{*options, options->max_bytes};
  std::vector<peal::request<>> sends(static_cast<std::size_t>(options->window));
  std::vector<peal::request<peal::status>> receives(static_cast<std::size_t>(options->window));
  bench::table table{world, *options, title, true, {"MB/s", "Messages/s"}, "Messages/s"};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto buffer = memory.first(bytes);
    const bool valid = !options->validate || bench::all(world, check(world, pair, buffer));
    world.barrier();
    stream(world, pair, buffer, sends, receives, options->warm_up_for(bytes));
    world.barrier();
    const int n = options->iterations_for(bytes);
    const auto time = bench::measure(n, options->parts(), [&](int count) {
      stream(world, pair, buffer, sends, receives, count);
    });
    // All pairs together, by the mean time of the senders.
    const double messages = static_cast<double>(options->window) * pairs;
    const double mean = 2 * bench::over_ranks(world, pair.sends ? time.mean : 0).mean;
    table.row(bytes, {messages * static_cast<double>(bytes) / mean / 1e6, messages / mean},
              messages / time.most, messages / time.least, n, valid);
  }
  return table.end();
}
