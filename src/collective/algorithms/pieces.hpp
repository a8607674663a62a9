// collective/algorithms/pieces.hpp
// Pieces that the prices of several algorithms have. They follow the rounds in the files of
// algorithms/, for the rank that ends last.
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes.
// Threads  pure functions.
#pragma once

#include <algorithm>

#include "collective/choice/cost_sum.hpp"

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

/// Whole subtrees' blocks go up the tree, or down it.
inline void block_tree(const pricing& t, bool up) {
  for (int distance = 1; distance < t.ranks; distance *= t.radix) {
    const int children = std::min(t.radix - 1, (t.ranks - 1) / distance);
    const double blocks = t.bytes * std::min(distance, t.ranks - distance);
    t.sum.fan(blocks, children, distance, up);
    t.sum.work(blocks, static_cast<double>(children) / distance / t.radix);
    if (distance > t.ranks / t.radix) break;  // the next one might not fit into a number
  }
  t.sum.copy(t.bytes);
}

/// The root has a message from each of the others, or for each, and copies its own block.
inline void linear(const pricing& t, bool in) {
  t.sum.star(t.bytes, in);
  t.sum.copy(t.bytes, 1, 1.0 / t.ranks);
}

/// Every rank sends every other one a block, and copies its own.
inline void blocks_to_all(const pricing& t) {
  t.sum.all_to_all(t.bytes);
  t.sum.copy(t.bytes);
}

/// The first rank has a message for each of the others, the last one from each. `exclusive`: a
/// rank's own vector is not in its result.
inline void prefix_flat(const pricing& t, bool exclusive) {
  t.sum.row_of_stars(t.bytes);
  t.sum.join(t.bytes, t.ranks - (exclusive ? 2 : 1), (t.ranks - 1) / 2.0);
  if (exclusive) t.sum.copy(t.bytes, 1, 1.0 / t.ranks);
}

/// `joiners`: ranks that join what comes with their own.
inline void chain(const pricing& t, int joiners) {
  t.sum.chain(t.bytes, t.segments, t.streams);
  if (joiners > 0) t.sum.join(t.bytes, joiners - 1 + t.segments, t.segments * joiners / t.ranks);
}

}  // namespace peal::algorithms::pieces
