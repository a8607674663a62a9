// peal_bw: bandwidth from rank 0 to rank 1: windows of nonblocking sends, each window answered by
// one short message, as osu_bw.
#include "common/common.hpp"

namespace {

constexpr peal::tag data{100}, done{101};

void stream(const peal::communicator& world, std::span<std::byte> buffer,
            std::vector<peal::request<>>& sends, std::vector<peal::request<peal::status>>& receives,
            int n) {
  std::array<std::byte, 4> answer{};
  for (int i = 0; i < n; ++i) {
    if (world.rank() == 0) {
      for (auto& request : sends) request = world.isend(buffer, 1, data);
      for (auto& request : sends) request.wait();
      world.recv_into(answer, 1, done);
    } else {
      for (auto& request : receives) request = world.irecv_into(buffer, 0, data);
      for (auto& request : receives) request.wait();
      world.send(answer, 0, done);
    }
  }
}

// A window of messages that differ, each into memory of its own.
bool check(const peal::communicator& world, const bench::options& options, std::size_t bytes) {
  const int count = std::min(options.window, 8);
  const bench::buffer memory{options, bytes * static_cast<std::size_t>(count)};
  const auto all = memory.first(bytes * static_cast<std::size_t>(count));
  std::vector<peal::request<>> sends;
  std::vector<peal::request<peal::status>> receives;
  for (int k = 0; k < count; ++k) {
    const auto part = all.subspan(bytes * static_cast<std::size_t>(k), bytes);
    if (world.rank() == 0) {
      bench::fill(part, 0, k);
      sends.push_back(world.isend(part, 1, data));
    } else {
      receives.push_back(world.irecv_into(part, 0, data));
    }
  }
  for (auto& request : sends) request.wait();
  for (auto& request : receives) request.wait();
  bool good = true;
  for (int k = 0; k < count && world.rank() == 1; ++k)
    good = bench::holds(all.subspan(bytes * static_cast<std::size_t>(k), bytes), 0, k) && good;
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
  const auto options = bench::parse(argc, argv, world, "Bandwidth Test", defaults,
                                    {sizes, window, full, buffer}, code);
  if (!options) return code;
  if (!bench::enough_ranks(world, 2, false)) return 2;

  const bench::buffer memory{*options, options->max_bytes};
  std::vector<peal::request<>> sends(static_cast<std::size_t>(options->window));
  std::vector<peal::request<peal::status>> receives(static_cast<std::size_t>(options->window));
  bench::table table{world, *options, "Bandwidth Test", true, {"Bandwidth (MB/s)"}, "Bandwidth"};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const bool takes_part = world.rank() < 2;
    const bool valid =
        !options->validate || bench::all(world, !takes_part || check(world, *options, bytes));
    world.barrier();
    if (!takes_part) continue;
    const auto buffer = memory.first(bytes);
    stream(world, buffer, sends, receives, options->warm_up_for(bytes));
    const int n = options->iterations_for(bytes);
    const auto time = bench::measure(
        n, options->parts(), [&](int count) { stream(world, buffer, sends, receives, count); });
    const double megabytes = static_cast<double>(bytes) * options->window / 1e6;
    table.row(bytes, {megabytes / time.mean}, megabytes / time.most, megabytes / time.least, n,
              valid);
  }
  return table.end();
}
