// tests/launcher/report_rank.cpp
// Ranks whose traffic is known, for tests of the report and the trace of a run. To rank j rank i
// sends n messages of 8 (j + 1) bytes, and as many of 4 n KiB by requests, where n is i % 8 + 1: if
// it grew on, 64 ranks would move 23 GB. Before that the ranks add up four numbers three times.
//
//   traffic   does that
//   die       rank 1 is killed when the others have its messages
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <peal/peal.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

/// How many messages a rank sends to each other one.
constexpr int messages_of(int rank) { return rank % 8 + 1; }

// The last rank computes longest.
void compute(int rank) {
  std::this_thread::sleep_for(std::chrono::milliseconds{rank == 0 ? 0 : 20 * rank});
}

void send_short_ones(const peal::communicator& world) {
  for (int to = 0; to < world.size(); ++to) {
    const std::vector<double> numbers(static_cast<std::size_t>(to + 1));
    if (to == world.rank()) continue;
    for (int k = 0; k < messages_of(world.rank()); ++k) world.send(numbers, to, peal::tag{1});
  }
  std::vector<double> into(static_cast<std::size_t>(world.rank() + 1));
  for (int from = 0; from < world.size(); ++from)
    for (int k = 0; k < messages_of(from) && from != world.rank(); ++k)
      world.recv_into(into, from, peal::tag{1});
}

void send_long_ones(const peal::communicator& world) {
  const auto length = [](int from) { return static_cast<std::size_t>(messages_of(from)) * 1024; };
  const std::vector<int> numbers(length(world.rank()));
  std::vector<std::vector<int>> into;
  std::vector<peal::request<peal::status>> arriving;
  std::vector<peal::request<>> leaving;
  for (int from = 0; from < world.size(); ++from)
    for (int k = 0; k < messages_of(from) && from != world.rank(); ++k)
      into.emplace_back(length(from));
  auto next = into.begin();
  for (int from = 0; from < world.size(); ++from)
    for (int k = 0; k < messages_of(from) && from != world.rank(); ++k)
      arriving.push_back(world.irecv_into(*next++, from, peal::tag{2}));
  for (int to = 0; to < world.size(); ++to)
    for (int k = 0; k < messages_of(world.rank()) && to != world.rank(); ++k)
      leaving.push_back(world.isend(numbers, to, peal::tag{2}));
  for (auto& each : arriving) (void)each.wait();
  for (auto& each : leaving) each.wait();
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "traffic";
  peal::environment env{count, words};
  const peal::communicator& world = env.world();
  std::vector<double> sums(4, 1.0);
  for (int k = 0; k < 3; ++k) sums = world.allreduce(sums, std::plus<>{});
  compute(world.rank());
  send_short_ones(world);
  if (what == "die") {
    for (int other = 0; other < world.size(); ++other)
      if (world.rank() == 1 && other != 1) (void)world.recv<int>(other, peal::tag{3});
    if (world.rank() == 1) ::kill(::getpid(), SIGKILL);
    world.send(0, 1, peal::tag{3});
    (void)world.recv<int>(1, peal::tag{4});
  }
  send_long_ones(world);
  return 0;
}
