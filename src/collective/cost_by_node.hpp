// collective/cost_by_node.hpp
// What algorithms take that go node by node: those named "leaders" and "shares", which files in algorithms/ describe.
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes.
// Threads  pure functions.
#pragma once

#include "collective/cost_sum.hpp"

namespace peal::by_node {

/// A call: of the whole vector or of one segment, of allgather of a rank's block.
struct pricing {
  int radix;
  double bytes;
  cost_sum& sum;

  [[nodiscard]] int width() const noexcept { return sum.per_node(); }
  [[nodiscard]] int nodes() const noexcept { return sum.nodes(); }
  [[nodiscard]] double share() const noexcept { return bytes / width(); }
};

void barrier_leaders(const pricing&) noexcept;
void bcast_leaders(const pricing&) noexcept;
void reduce_leaders(const pricing&) noexcept;
void allreduce_leaders(const pricing&) noexcept;
void allgather_leaders(const pricing&) noexcept;
void bcast_shares(const pricing&) noexcept;
void reduce_shares(const pricing&) noexcept;
void allreduce_shares(const pricing&) noexcept;

}  // namespace peal::by_node
