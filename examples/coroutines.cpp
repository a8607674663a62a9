// coroutines: rank 0 keeps sums under names, and a coroutine serves each of the other ranks. It
// reads like a loop that waits, and none of them keeps the others waiting.
//
//     pealrun -n 4 ./coroutines [calls a rank]
#include <cstdlib>
#include <iostream>
#include <map>
#include <peal/point_to_point.hpp>
#include <string>
#include <vector>

namespace {

enum class say { add, sum };  // enumerators are tags: what a message is about

struct change {
  std::string name;
  long by;
};

// A function that returns a request may be a coroutine. It begins at once, goes on inside the calls
// of peal that make progress, and is waited for like a receive.
//
// Serves one rank, until that sends a change without a name; returns how many there were.
peal::request<int> serve(const peal::basic_communicator& world, int rank,
                         std::map<std::string, long>& sums) {
  for (int served = 0;; ++served) {
    const change asked = co_await world.irecv<change>(rank, say::add);
    if (asked.name.empty()) co_return served;
    sums[asked.name] += asked.by;
    co_await world.isend(long{sums[asked.name]}, rank, say::sum);
  }
}

void call(const peal::basic_communicator& world, int calls) {
  const std::string mine = "rank " + std::to_string(world.rank());
  long last = 0;
  for (int i = 1; i <= calls; ++i) {
    world.send(change{mine, i}, 0, say::add);
    last = world.recv<long>(0, say::sum);
    world.send(change{"all", i}, 0, say::add);
    (void)world.recv<long>(0, say::sum);
  }
  world.send(change{}, 0, say::add);
  if (last != static_cast<long>(calls) * (calls + 1) / 2) peal::abort(1, "a sum is wrong");
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const peal::basic_communicator& world = env.basic_world();
  const int calls = argc > 1 ? std::atoi(argv[1]) : 100;
  if (world.rank() != 0) {
    call(world, calls);
    return 0;
  }
  std::map<std::string, long> sums;
  std::vector<peal::request<int>> services;
  for (int rank = 1; rank < world.size(); ++rank) services.push_back(serve(world, rank, sums));
  int served = 0;
  for (const int each : peal::wait_all(services)) served += each;
  std::cout << served << " calls of " << services.size() << " ranks, and the sum of all is "
            << sums["all"] << '\n';
  return 0;
}
