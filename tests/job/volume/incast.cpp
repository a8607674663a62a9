// incast COUNT [rnr]: every rank sends COUNT messages of many lengths to rank 0, which does not
// call peal for a second. All arrive, in order, and whole. Over an RDMA port that nobody else uses,
// none found the receive queue empty (RNR), unless the word `rnr` allows it.
#include <chrono>
#include <cstring>
#include <thread>

#include "../support.hpp"

namespace {

constexpr peal::tag data{1};

std::size_t length_of(int from, std::size_t number) {
  job::random r{static_cast<std::uint64_t>(from) * 100'003 + number};
  return r.one_in(20) ? r.below(8193) : r.below(300);
}

std::uint64_t key_of(int from, std::size_t number) {
  return static_cast<std::uint64_t>(from) << 32 | number;
}

std::uint64_t empty_queues(const peal::communicator& world) {
  std::uint64_t sum = 0;
  for (const auto& each : peal::counters(world))
    if (each.name == "port.rcvd_rnr_err" || each.name == "port.send_rnr_err") sum += each.value;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 200);
  const bool may_be_empty = argc > 2 && std::strcmp(argv[2], "rnr") == 0;
  world.barrier();
  if (world.rank() != 0) {
    std::vector<peal::request<std::vector<std::byte>>> sends;
    for (std::size_t each = 0; each < count; ++each)
      sends.push_back(world.isend(
          job::bytes_of(length_of(world.rank(), each), key_of(world.rank(), each)), 0, data));
    for (auto& each : sends) each.wait();
  } else {
    std::this_thread::sleep_for(std::chrono::seconds{1});  // computes
    std::vector<std::size_t> next(static_cast<std::size_t>(world.size()), 0);
    for (std::size_t each = 0; each < count * (next.size() - 1); ++each) {
      peal::status from;
      const auto got = world.recv<std::vector<std::byte>>(peal::any_source, data, &from);
      const std::size_t number = next[static_cast<std::size_t>(from.source)]++;
      job::equal(got.size(), length_of(from.source, number),
                 "length of message " + std::to_string(number) + " of rank " +
                     std::to_string(from.source));
      job::check(job::holds(got, key_of(from.source, number)),
                 "message " + std::to_string(number) + " of rank " + std::to_string(from.source));
    }
  }
  world.barrier();
  const std::uint64_t empty = empty_queues(world);
  if (!may_be_empty) job::equal(empty, std::uint64_t{0}, "messages that found no receive posted");
  if (world.rank() == 0)
    std::printf("%llu messages found no receive posted\n", static_cast<unsigned long long>(empty));
  return 0;
}
