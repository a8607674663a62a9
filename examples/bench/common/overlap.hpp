// How much of a nonblocking operation goes on while the caller computes, as the nonblocking tests
// of the OSU micro-benchmarks measure it.
//
// Three times are taken: of the operation alone, started and waited for at once; of a computation
// alone that takes as long (or --times as long) and makes no call; and of both, with the
// computation between start and wait; the median of each, on the slowest rank. What the computation
// hides of the operation is the overlap, in per cent. Who makes progress by taking its core away
// hides nothing so.
//
// Units    seconds.
#pragma once

#include "common.hpp"

namespace bench {

/// Arithmetic on registers: it takes time and nothing else, so it disturbs no cache.
class computation {
 public:
  computation();
  void run(double seconds) const;

 private:
  static void steps(long count);
  double steps_a_second_ = 0;
};

struct overlap {
  double overall = 0, compute = 0, pure = 0;
  [[nodiscard]] double percent() const {
    return std::clamp(100 * (1 - (overall - compute) / pure), 0.0, 100.0);
  }
};

/// `start()` gives a request (or a vector of them); `finish(it)` waits. Each iteration begins on
/// all ranks at the same time. `computes`: whether this rank does, for `times` the time of the
/// operation; one that does not waits at once, and so leaves its core to the others when it sleeps.
template <class Start, class Finish>
overlap measure_overlap(const peal::communicator& world, const computation& work, int warm_up,
                        int iterations, Start&& start, Finish&& finish, double times,
                        bool computes = true) {
  // Medians, since a process that loses its core for a moment would tell of nothing else.
  std::vector<double> taken;
  const auto slowest = [&](int n, auto&& iterate) {
    taken.clear();
    for (int i = 0; i < n; ++i) {
      world.barrier();
      const auto from = clock::now();
      iterate();
      taken.push_back(since(from));
    }
    const auto middle = taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 2);
    std::nth_element(taken.begin(), middle, taken.end());
    return over_ranks(world, *middle).most;
  };
  const auto alone = [&] {
    auto under_way = start();
    finish(under_way);
  };
  if (warm_up > 0) slowest(warm_up, alone);
  overlap found;
  found.pure = slowest(iterations, alone);
  const auto compute = [&] {
    if (computes) work.run(times * found.pure);
  };
  found.compute = slowest(iterations, compute);
  found.overall = slowest(iterations, [&] {
    auto under_way = start();
    compute();
    finish(under_way);
  });
  return found;
}

/// The table's row, in microseconds.
inline void overlap_row(table& into, std::size_t bytes, const overlap& found, int iterations,
                        bool valid) {
  into.row(bytes, {found.overall * 1e6, found.compute * 1e6, found.pure * 1e6, found.percent()}, 0,
           0, iterations, valid);
}
inline std::vector<std::string> overlap_columns() {
  return {"Overall(us)", "Compute(us)", "Pure Comm.(us)", "Overlap(%)"};
}

}  // namespace bench
