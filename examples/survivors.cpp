// survivors: heat along a bar, by ranks of which one dies on the way. The others hear of it, make a
// communicator without it, go back to what they saved last, and come to the right result.
//
//     pealrun --on-failure notify -n 4 ./survivors [steps [step at which the last rank dies]]
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <peal/peal.hpp>
#include <string>
#include <vector>

namespace {

constexpr std::size_t cells = 240;
constexpr int steps_a_block = 25;  // between two saves
constexpr peal::tag to_left{1}, to_right{2};

// One end of the bar is kept at 100 degrees, the other at 0.
double step_of(double left, double here, double right) {
  return here + 0.25 * (left - 2 * here + right);
}

// The part of the bar that a rank has, with a cell of each neighbour's around it.
std::vector<double> advance(const peal::communicator& on, const std::vector<double>& bar, int steps,
                            int die_in) {
  const auto ranks = static_cast<std::size_t>(on.size()),
             rank = static_cast<std::size_t>(on.rank());
  const std::size_t begin = cells * rank / ranks, end = cells * (rank + 1) / ranks;
  std::vector<double> mine(bar.begin() + static_cast<std::ptrdiff_t>(begin),
                           bar.begin() + static_cast<std::ptrdiff_t>(end));
  for (int step = 0; step < steps; ++step) {
    if (step == die_in) (void)std::raise(SIGKILL);
    double left = 100, right = 0;
    if (on.rank() > 0) on.send(mine.front(), on.rank() - 1, to_left);
    if (on.rank() < on.size() - 1) on.send(mine.back(), on.rank() + 1, to_right);
    if (on.rank() > 0) left = on.recv<double>(on.rank() - 1, to_right);
    if (on.rank() < on.size() - 1) right = on.recv<double>(on.rank() + 1, to_left);
    std::vector<double> next(mine.size());
    for (std::size_t cell = 0; cell < mine.size(); ++cell)
      next[cell] = step_of(cell == 0 ? left : mine[cell - 1], mine[cell],
                           cell + 1 == mine.size() ? right : mine[cell + 1]);
    mine.swap(next);
  }
  std::vector<double> whole;
  for (const auto& part : on.allgatherv(mine)) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200;
  const int fatal = argc > 2 ? std::atoi(argv[2]) : steps / 2;
  if (steps < 1 || world.size() > static_cast<int>(cells)) {
    if (world.rank() == 0)
      std::cerr << "usage: survivors [steps [step at which the last rank dies]]\n";
    return 2;
  }
  env.on_peer_failure([&](const peal::peer_failure& what) {
    std::cerr << "rank " + std::to_string(world.rank()) + ": " + what.text() + "\n";
  });

  // Every rank saves the whole bar, so whoever lives has all of it.
  std::vector<double> saved(cells, 0.0);
  std::optional<peal::communicator> fewer;
  for (int done = 0; done < steps;) {
    const peal::communicator& on = fewer ? *fewer : world;
    const int block = std::min(steps_a_block, steps - done);
    const bool dies = !fewer && world.size() > 1 && world.rank() == world.size() - 1;
    std::vector<double> bar;
    try {
      bar = advance(on, saved, block, dies ? fatal - done : -1);
    } catch (const peal::error& problem) {
      if (problem.code() != peal::errc::peer_failed) throw;
      on.revoke();  // others may wait for this rank, and would not hear of the death
    }
    // A rank may have come to the end of the block where another one has not: all have to know.
    const peal::agreement all = on.agree(bar.empty() ? 0 : 1);
    if (all.flags != 0 && all.failed.empty()) {
      saved.swap(bar);
      done += block;
    } else {
      fewer = on.shrink();
    }
  }

  // The same by one rank alone.
  std::vector<double> expected(cells, 0.0), next(cells);
  for (int step = 0; step < steps; ++step) {
    for (std::size_t cell = 0; cell < cells; ++cell)
      next[cell] = step_of(cell == 0 ? 100 : expected[cell - 1], expected[cell],
                           cell + 1 == cells ? 0 : expected[cell + 1]);
    expected.swap(next);
  }
  const peal::communicator& on = fewer ? *fewer : world;
  if (on.rank() == 0) {
    double heat = 0;
    for (const double cell : saved) heat += cell;
    std::cout << "heat " << std::lround(heat) << " after " << steps << " steps, begun by "
              << world.size() << " ranks and ended by " << on.size() << ": "
              << (saved == expected ? "right" : "wrong") << '\n';
  }
  return saved == expected ? 0 : 1;
}
