// plans: pi by Leibniz' series, in rounds. What is done in every round is made ready once: a token
// that goes round the ring (plans of messages), and the sum of all parts (a plan of an allreduce).
//
//     pealrun -n 4 ./plans [rounds]
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <peal/peal.hpp>

namespace {

struct token {
  int round;
  int hops;
};

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const int rank = world.rank(), size = world.size();
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 50;
  if (rounds < 1) {
    if (rank == 0) std::cerr << "usage: plans [rounds, at least one]\n";
    return 2;
  }

  // Plans keep the addresses of what they are given, so it stays where it is while they live.
  token given{}, taken{};
  double part = 0;
  auto pass_on = world.send_plan(given, (rank + 1) % size);
  auto take = world.recv_plan(taken, (rank + size - 1) % size);
  auto sum_up = world.allreduce_plan(part);  // what a start gives is the sum

  double pi = 0;
  for (int round = 0; round < rounds; ++round) {
    auto coming = take.start();
    if (rank == 0) {
      given = {round, 1};
      pass_on.start().wait();
    }
    // While the token is on its way: this rank's terms of the round, a thousand for each rank.
    part = 0;
    const long first = (static_cast<long>(round) * size + rank) * 1000;
    for (long k = first; k < first + 1000; ++k)
      part += (k % 2 == 0 ? 4.0 : -4.0) / static_cast<double>(2 * k + 1);
    auto summing = sum_up.start();

    coming.wait();
    if (rank != 0) {
      given = {taken.round, taken.hops + 1};
      pass_on.start().wait();
    } else if (taken.round != round || taken.hops != size) {
      peal::abort(1, "the token was not everywhere");
    }
    pi += summing.wait();
  }
  if (rank == 0)
    std::cout << "after " << rounds << " rounds of " << size << " ranks pi is about "
              << std::setprecision(4) << pi << '\n';
  return 0;
}
