// collective/pricing.hpp
// A call of which an algorithm adds up the price: of an uncut vector, or of one segment; of
// allgather of a rank's block.
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes.
// Threads  one.
#pragma once

#include "collective/cost_sum.hpp"
#include "collective/problem.hpp"

namespace peal {

struct pricing {
  int ranks;
  int radix;
  double bytes;
  int shares;       // of ranks of a node, where each works for its own part of a vector
  double segments;  // of a vector that is priced whole: so many of `bytes` each
  double lanes;     // in which they run
  cost_sum& sum;

  [[nodiscard]] double share() const noexcept { return bytes / ranks; }
  [[nodiscard]] bool folds() const noexcept { return floor_power(ranks) != ranks; }
  /// Node by node.
  [[nodiscard]] int width() const noexcept { return sum.per_node(); }
  [[nodiscard]] int nodes() const noexcept { return sum.nodes(); }
  [[nodiscard]] double node_share() const noexcept { return bytes / shares; }
};

}  // namespace peal
