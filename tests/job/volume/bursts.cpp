// bursts BURSTS COUNT: everyone sends COUNT messages to everyone, and then all are silent until the
// shared memory of their boxes has been given back; so many times. All messages arrive, in order,
// and whole, and what is left for a silent peer is 64 B at most.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "../support.hpp"

namespace {

constexpr peal::tag data{1}, never{2};

std::size_t length_of(std::uint64_t key) {
  job::random r{key};
  return r.one_in(8) ? r.below(4097) : r.below(100);
}

std::uint64_t key_of(int from, int to, int burst, int number) {
  return ((static_cast<std::uint64_t>(from) * 1'000 + static_cast<std::uint64_t>(to)) * 1'000 +
          static_cast<std::uint64_t>(burst)) *
             100'000 +
         static_cast<std::uint64_t>(number);
}

std::uint64_t counted(const peal::communicator& world, std::string_view name) {
  for (const auto& each : peal::counters(world))
    if (each.name == name) return each.value;
  return 0;  // one rank, or no two on a node
}

void burst(const peal::communicator& world, int which, int count) {
  const int ranks = world.size(), self = world.rank();
  std::vector<peal::request<std::vector<std::byte>>> sends;
  for (int number = 0; number < count; ++number)
    for (int step = 1; step < ranks; ++step) {
      const int to = (self + step) % ranks;
      const std::uint64_t key = key_of(self, to, which, number);
      sends.push_back(world.isend(job::bytes_of(length_of(key), key), to, data));
    }
  std::vector<int> next(static_cast<std::size_t>(ranks), 0);
  for (int left = count * (ranks - 1); left > 0; --left) {
    peal::status from;
    const auto got = world.recv<std::vector<std::byte>>(peal::any_source, data, &from);
    const int number = next[static_cast<std::size_t>(from.source)]++;
    const std::uint64_t key = key_of(from.source, self, which, number);
    const std::string what = "message " + std::to_string(number) + " of rank " +
                             std::to_string(from.source) + " in burst " + std::to_string(which);
    job::equal(got.size(), length_of(key), "length of " + what);
    job::check(job::holds(got, key), what);
  }
  for (auto& each : sends) each.wait();
}

/// Polls until this rank's boxes have no memory, which takes a second or two.
void be_silent(const peal::communicator& world) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{100};
  while (counted(world, "shm.box_bytes") != 0) {
    job::check(!world.iprobe(peal::any_source, never), "a message that nobody sent");
    job::check(std::chrono::steady_clock::now() < patience,
               "boxes of silent pairs still have " +
                   std::to_string(counted(world, "shm.box_bytes")) + " bytes");
    std::this_thread::yield();
  }
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const int bursts = argc > 1 ? std::atoi(argv[1]) : 3, count = argc > 2 ? std::atoi(argv[2]) : 100;
  for (int which = 0; which < bursts; ++which) {
    burst(world, which, count);
    be_silent(world);
    // Before the barrier, which may open a box: memory that others gave back can be had then.
    if (counted(world, "shm.most_box_bytes") > 0) {
      job::check(counted(world, "shm.boxes_closed") > 0, "boxes have no memory and are open");
      const std::uint64_t kept = counted(world, "shm.peer_bytes");
      job::check(kept > 0 && kept <= 64,
                 "a rank keeps " + std::to_string(kept) + " bytes for a peer that is silent");
    }
    world.barrier();  // a rank that is done answers those that are not
  }
  return 0;
}
