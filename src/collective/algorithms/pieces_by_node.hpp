// collective/algorithms/pieces_by_node.hpp
// Pieces of the prices of algorithms that go node by node: those named "leaders" and "shares".
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes.
// Threads  pure functions.
#pragma once

#include <algorithm>

#include "collective/choice/cost_sum.hpp"
#include "collective/problem.hpp"

namespace peal::algorithms::pieces {

/// Rounds of a message from a rank of each node to one of another, by one or by all of a node at
/// once, each joined if it `joins`.
inline void between(const pricing& t, double bytes, int rounds, int sharers, bool joins) {
  t.sum.swap_between(bytes, rounds, sharers);
  if (joins) t.sum.join(bytes, rounds, static_cast<double>(rounds) * sharers / t.width());
}

inline int rounds_among(int members) {
  int rounds = 0;
  for (int reached = 1; reached<members; reached = reached> members / 2 ? members : 2 * reached)
    ++rounds;
  return rounds;
}

/// A doubling among as many ranks as there are nodes; those beyond a power of two hand theirs to
/// neighbours first, and get it back (allreduce_doubling.cpp).
inline void doubling(const pricing& t, double bytes, int sharers) {
  const bool folds = floor_power(t.nodes()) != t.nodes();
  if (folds) between(t, bytes, 1, sharers, true);
  between(t, bytes, rounds_among(floor_power(t.nodes())), sharers, true);
  if (folds && t.sum.announces(bytes)) between(t, bytes, 1, sharers, false);
}

inline void rabenseifner(const pricing& t, double bytes) {
  const bool folds = floor_power(t.nodes()) != t.nodes();
  if (folds) between(t, bytes, 1, t.shares, true);
  double half = bytes;
  for (int distance = 1; distance < floor_power(t.nodes()); distance *= 2) {
    half /= 2;
    between(t, half, 1, t.shares, true);
    between(t, half, 1, t.shares, false);
  }
  if (folds) between(t, bytes, 1, t.shares, false);
}

/// Every rank of a node joins its share of all vectors there.
inline void join_shares(const pricing& t) {
  t.sum.share_inside(t.node_share(), t.shares, true);
  t.sum.join(t.node_share(), t.width() - 1);
}

/// One of the node gives the others their shares, or takes them.
inline void hand_out(const pricing& t, bool in) {
  t.sum.fan(t.node_share(), t.shares - 1, 1, in);
  t.sum.work(t.node_share(), static_cast<double>(t.shares - 1) / t.width());
}

}  // namespace peal::algorithms::pieces
