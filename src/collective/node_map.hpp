// collective/node_map.hpp
// Which ranks of a team share a node: what hierarchical algorithms look at, and the choice. The
// same on every rank.
//
// Layer    collective: may include base/.
// Units    nodes are numbered in the order of their lowest ranks, the ranks of a node in rank
//          order.
// Threads  immutable once built.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace peal {

class node_map {
 public:
  /// By rank: a number that the ranks of a node have in common, and no others.
  explicit node_map(std::span<const std::uint32_t> by_rank);

  [[nodiscard]] int nodes() const noexcept { return static_cast<int>(first_.size()) - 1; }
  [[nodiscard]] int node_of(int rank) const noexcept {
    return static_cast<int>(at_[static_cast<std::size_t>(rank)].node);
  }
  /// Its number among the ranks of its node.
  [[nodiscard]] int index_of(int rank) const noexcept {
    return static_cast<int>(at_[static_cast<std::size_t>(rank)].index);
  }
  [[nodiscard]] int count(int node) const noexcept {
    return static_cast<int>(first_[static_cast<std::size_t>(node) + 1] -
                            first_[static_cast<std::size_t>(node)]);
  }
  [[nodiscard]] int rank(int node, int index) const noexcept {
    return static_cast<int>(
        ranks_[first_[static_cast<std::size_t>(node)] + static_cast<std::size_t>(index)]);
  }
  /// Of the node that has the fewest.
  [[nodiscard]] int fewest() const noexcept { return fewest_; }
  /// Several nodes, one of them with several ranks: otherwise there is nothing to tell apart.
  [[nodiscard]] bool has_levels() const noexcept {
    return nodes() > 1 && nodes() < static_cast<int>(at_.size());
  }
  /// The ranks of each node are neighbours, so that what is joined node by node is joined in rank
  /// order.
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }

 private:
  struct seat {
    std::uint32_t node = 0;
    std::uint32_t index = 0;
  };
  std::vector<seat> at_;              // by rank
  std::vector<std::uint32_t> ranks_;  // node by node
  std::vector<std::uint32_t> first_;  // of each node in ranks_, and the end
  int fewest_ = 0;
  bool in_order_ = true;
};

}  // namespace peal
