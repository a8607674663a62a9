// collective/algorithms/tree.hpp
// k-nomial trees over ranks counted from the root: a rank with its lowest non-zero digit (base k)
// at place i has its parent where that digit is 0, its children at the places below i, and its
// subtree covers the ranks [itself, itself + k^i).
//
// Layer    collective.
#pragma once

#include <algorithm>

#include "collective/problem.hpp"

namespace peal::algorithms {

struct tree {
  int me;  // counted from the root
  int size;
  int radix;
  int reach = 1;  // k^i; at the root the first power of k that is not below `size`

  tree(int relative, int ranks, int k) noexcept : me{relative}, size{ranks}, radix{k} {
    while (reach < size && me / reach % radix == 0) reach *= radix;
  }

  [[nodiscard]] bool is_root() const noexcept { return me == 0; }
  [[nodiscard]] int parent() const noexcept { return me - me / reach % radix * reach; }
  /// Ranks in my subtree.
  [[nodiscard]] int covered() const noexcept { return std::min(reach, size - me); }

  /// visit(child, ranks in its subtree), the nearest child first: in the order of the ranks.
  template <class Visit>
  void nearest_first(Visit visit) const {
    for (int distance = 1; distance < reach; distance *= radix)
      for (int child = me + distance; child < std::min(me + distance * radix, size);
           child += distance)
        visit(child, std::min(distance, size - child));
  }
  /// The farthest distance first: those subtrees are the tallest.
  template <class Visit>
  void tallest_first(Visit visit) const {
    for (int distance = reach / radix; distance >= 1; distance /= radix)
      for (int child = me + distance; child < std::min(me + distance * radix, size);
           child += distance)
        visit(child, std::min(distance, size - child));
  }
};

/// message(first, count) for the blocks of `count` ranks from `first` on, counted from the root:
/// once, or twice where the ranks wrap around.
template <class Message>
void in_rank_order(const problem& p, int first, int count, Message message) {
  const int straight = std::min(count, p.size - p.real(first));
  message(first, straight);
  if (straight < count) message(first + straight, count - straight);
}

}  // namespace peal::algorithms
