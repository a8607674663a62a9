// collective/algorithms/pieces.hpp
// Pieces that the prices of several algorithms have. They follow the rounds in the files of
// algorithms/, for the rank that ends last.
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes.
// Threads  pure functions.
#pragma once

#include <algorithm>

#include "collective/pricing.hpp"

namespace peal::algorithms::pieces {

/// Ranks beyond a power of two hand their vectors to neighbours.
inline void fold(const pricing& t) {
  if (!t.folds()) return;
  t.sum.fan(t.bytes, 1, 1, true);
  t.sum.work(t.bytes, 0.5);
  t.sum.join(t.bytes, 1, 0.5);
}

inline void unfold(const pricing& t) {
  if (!t.folds()) return;
  t.sum.fan(t.bytes, 1, 1, false);
  t.sum.work(t.bytes, 0.5);
}

inline void halve(const pricing& t) {
  double half = t.bytes;
  for (int distance = 1; distance < floor_power(t.ranks); distance *= 2) {
    half /= 2;
    t.sum.swap(half, distance);
    t.sum.join(half);
  }
}

/// visit(distance, children): the levels of a tree, of the rank that has most children in each.
template <class Visit>
void for_each_level(const pricing& t, Visit visit) {
  for (int distance = 1; distance < t.ranks; distance *= t.radix) {
    visit(distance, std::min(t.radix - 1, (t.ranks - 1) / distance));
    if (distance > t.ranks / t.radix) break;  // the next one might not fit into a number
  }
}

inline void tree(const pricing& t, bool joins) {
  t.sum.tree(t.bytes, t.radix, joins);
  t.sum.work(t.bytes, static_cast<double>(t.ranks - 1) / t.ranks);
  if (joins) t.sum.join(t.bytes, 0, static_cast<double>(t.ranks - 1) / t.ranks);
}

/// Whole subtrees' blocks go up the tree, or down it.
inline void block_tree(const pricing& t, bool up) {
  for_each_level(t, [&](int distance, int children) {
    const double blocks = std::min(distance, t.ranks - distance);
    t.sum.fan(t.bytes * blocks, children, distance, up);
    t.sum.work(t.bytes * blocks, static_cast<double>(children) / distance / t.radix);
  });
  t.sum.copy(t.bytes, 1, 1);
}

/// The root has a message from each of the others, or for each, and copies its own block.
inline void linear(const pricing& t, bool in) {
  t.sum.star(t.bytes, in);
  t.sum.work(t.bytes, static_cast<double>(t.ranks - 1) / t.ranks);
  t.sum.copy(t.bytes, 1, 1.0 / t.ranks);
}

/// Everyone sends everyone a block, and copies its own.
inline void blocks_to_all(const pricing& t) {
  t.sum.all_to_all(t.bytes);
  t.sum.copy(t.bytes);
}

/// The first rank has a message for each of the others, the last one from each. `exclusive`: a
/// rank's own vector is not in its result.
inline void prefix_flat(const pricing& t, bool exclusive) {
  t.sum.row_of_stars(t.bytes);
  t.sum.work(t.bytes, (t.ranks - 1) / 2.0);
  t.sum.join(t.bytes, t.ranks - (exclusive ? 2 : 1), (t.ranks - 1) / 2.0);
  if (exclusive) t.sum.copy(t.bytes, 1, 1.0 / t.ranks);
}

/// `joiners`: ranks that join what comes with their own.
inline void chain(const pricing& t, int joiners) {
  t.sum.chain(t.bytes, t.segments, t.lanes);
  if (joiners > 0) t.sum.join(t.bytes, joiners - 1 + t.segments, t.segments * joiners / t.ranks);
}

}  // namespace peal::algorithms::pieces
