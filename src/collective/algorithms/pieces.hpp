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
  t.sum.fan(t.bytes, 1, 1);
  t.sum.work(t.bytes, 0.5);
  t.sum.join(t.bytes, 1, 0.5);
}

inline void unfold(const pricing& t) {
  if (!t.folds()) return;
  t.sum.fan(t.bytes, 1, 1);
  t.sum.work(t.bytes, 0.5);
}

inline void halve(const pricing& t) {
  double half = t.bytes;
  for (int distance = 1; distance < floor_power(t.ranks); distance *= 2) {
    half /= 2;
    t.sum.exchange(half, distance);
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

inline void block_tree(const pricing& t) {
  for_each_level(t, [&](int distance, int children) {
    const double blocks = std::min(distance, t.ranks - distance);
    t.sum.fan(t.bytes * blocks, children, distance);
    t.sum.work(t.bytes * blocks, static_cast<double>(children) / distance / t.radix);
  });
}

inline void linear(const pricing& t) {
  t.sum.star(t.bytes);
  t.sum.work(t.bytes, static_cast<double>(t.ranks - 1) / t.ranks);
}

/// Everyone sends everyone a block, and copies its own.
inline void blocks_to_all(const pricing& t) {
  t.sum.all_to_all(t.bytes);
  t.sum.copy(t.bytes);
}

inline void prefix_flat(const pricing& t) {
  t.sum.star(t.bytes);
  t.sum.work(t.bytes, (t.ranks - 1) / 2.0);
  t.sum.join(t.bytes, t.ranks - 1, (t.ranks - 1) / 2.0);
}

inline void prefix_doubling(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2) {
    t.sum.exchange(t.bytes, distance);
    t.sum.join(t.bytes);
  }
}

/// A pipeline: what every rank but the ends does with each segment is to take it and to pass it on.
inline void chain(const pricing& t, bool joins) {
  const int nodes = t.sum.nodes();
  const double apart = nodes - 1, near = t.ranks - nodes;
  if (t.ranks == 2) {
    t.sum.fan(t.bytes, 1, 1, t.segments);
    t.sum.work(t.bytes, t.segments / 2);
  } else if (nodes > 1) {
    t.sum.ring(t.bytes, apart + t.segments - 1);
    if (near > 0) t.sum.exchange(t.bytes, 1, near);
  } else {
    t.sum.ring(t.bytes, near + t.segments - 1);
  }
  if (joins) t.sum.join(t.bytes, t.ranks - 2 + t.segments, t.segments);
}

}  // namespace peal::algorithms::pieces
