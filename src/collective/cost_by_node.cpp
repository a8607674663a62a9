#include "collective/cost_by_node.hpp"

#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/problem.hpp"

namespace peal::by_node {

namespace {

/// Messages and, with `joins`, reductions of a tree inside each node, of a rank on average.
void inside(const pricing& t, double bytes, bool joins) noexcept {
  const double below_the_top = static_cast<double>(t.width() - 1) / t.width();
  t.sum.tree_inside(bytes, t.radix, joins);
  t.sum.work(bytes, below_the_top);
  if (joins) t.sum.join(bytes, 0, below_the_top);
}

/// Rounds of a message from a rank of each node to one of another, by one or by all of a node at once, each joined if it `joins`.
void between(const pricing& t, double bytes, int rounds, int sharers, bool joins) noexcept {
  if (sharers == 1) t.sum.fan(bytes, 1, t.width(), rounds);
  else t.sum.exchange(bytes, t.width(), rounds);
  if (joins) t.sum.join(bytes, rounds, static_cast<double>(rounds) * sharers / t.width());
}

int rounds_among(int members) noexcept {
  int rounds = 0;
  for (int reached = 1; reached<members; reached = reached> members / 2 ? members : 2 * reached) ++rounds;
  return rounds;
}

/// A doubling among as many ranks as there are nodes; those beyond a power of two hand theirs to neighbours first, and get it back.
void doubling(const pricing& t, double bytes, int sharers) noexcept {
  const bool folds = floor_power(t.nodes()) != t.nodes();
  if (folds) between(t, bytes, 1, sharers, true);
  between(t, bytes, rounds_among(floor_power(t.nodes())), sharers, true);
  if (folds) between(t, bytes, 1, sharers, false);
}

void rabenseifner(const pricing& t, double bytes) noexcept {
  const bool folds = floor_power(t.nodes()) != t.nodes();
  if (folds) between(t, bytes, 1, t.width(), true);
  double half = bytes;
  for (int distance = 1; distance < floor_power(t.nodes()); distance *= 2) {
    half /= 2;
    between(t, half, 1, t.width(), true);
    between(t, half, 1, t.width(), false);
  }
  if (folds) between(t, bytes, 1, t.width(), false);
}

/// Every rank of a node joins its share of all vectors there.
void join_shares(const pricing& t) noexcept {
  t.sum.all_to_all_inside(t.share());
  t.sum.join(t.share(), t.width() - 1);
}

/// One of the node gives the others their shares, or takes them.
void hand_out(const pricing& t) noexcept {
  t.sum.fan(t.share(), t.width() - 1, 1);
  t.sum.work(t.share(), static_cast<double>(t.width() - 1) / t.width());
}

}  // namespace

void barrier_leaders(const pricing& t) noexcept {
  inside(t, 0, false);
  between(t, 0, rounds_among(t.nodes()), 1, false);
  inside(t, 0, false);
}

void bcast_leaders(const pricing& t) noexcept {
  t.sum.tree_between(t.bytes, t.radix, false, 1);
  inside(t, t.bytes, false);
}

void reduce_leaders(const pricing& t) noexcept {
  inside(t, t.bytes, true);
  t.sum.tree_between(t.bytes, t.radix, true, 1);
}

void allreduce_leaders(const pricing& t) noexcept {
  inside(t, t.bytes, true);
  doubling(t, t.bytes, 1);
  inside(t, t.bytes, false);
}

void allgather_leaders(const pricing& t) noexcept {
  t.sum.fan(t.bytes, t.width() - 1, 1);
  t.sum.work(t.bytes, static_cast<double>(t.width() - 1) / t.width());
  t.sum.copy(t.bytes);
  for (int held = 1; held < t.nodes(); held *= 2) {
    between(t, t.bytes * t.width() * std::min(held, t.nodes() - held), 1, 1, false);
    if (held > t.nodes() / 2) break;
  }
  const double all = static_cast<double>(t.width()) * t.nodes();
  inside(t, t.bytes * all, false);
  t.sum.copy(t.bytes, all);
}

void bcast_shares(const pricing& t) noexcept {
  hand_out(t);
  t.sum.tree_between(t.share(), t.radix, false, t.width());
  t.sum.all_to_all_inside(t.share());
}

void reduce_shares(const pricing& t) noexcept {
  join_shares(t);
  t.sum.tree_between(t.share(), t.radix, true, t.width());
  hand_out(t);
}

void allreduce_shares(const pricing& t) noexcept {
  join_shares(t);
  if (t.share() <= most_swapped_share) doubling(t, t.share(), t.width());
  else rabenseifner(t, t.share());
  t.sum.all_to_all_inside(t.share());
}

}  // namespace peal::by_node
