// collective/algorithms/hierarchy.hpp
// What hierarchical algorithms have in common: who is who, algorithms that are played among some of
// the ranks as part of a larger one, and vectors of which each rank of a node owns a share.
//
// Layer    collective.
#pragma once

#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/node_map.hpp"

namespace peal::algorithms {

/// The ranks of each node are counted from its leader. Requires: p.nodes.
struct hierarchy {
  const node_map& nodes;
  int home;   // the root's node
  int first;  // index of the leader there; elsewhere the lowest rank leads
  int node;   // this rank's
  int count;  // ranks there
  int me;     // this rank among them

  /// `root_leads`: on its node; otherwise the lowest rank does there, too, so that what is joined
  /// is joined in rank order.
  hierarchy(const problem& p, bool root_leads) noexcept
      : nodes{*p.nodes},
        home{nodes.node_of(p.root)},
        first{root_leads ? nodes.index_of(p.root) : 0},
        node{nodes.node_of(p.rank)},
        count{nodes.count(node)},
        me{(nodes.index_of(p.rank) - (node == home ? first : 0) + count) % count} {}

  [[nodiscard]] int rank(int in, int number) const noexcept {
    return nodes.rank(in, in == home ? (number + first) % nodes.count(in) : number);
  }
  [[nodiscard]] int local(int number) const noexcept { return rank(node, number); }
  [[nodiscard]] bool leads() const noexcept { return me == 0; }
};

/// The problem of `size` of the ranks, as number `rank` of them sees it.
inline problem among(const problem& whole, int rank, int size, int root, bool in_place) noexcept {
  problem part;
  part.rank = rank;
  part.size = size;
  part.root = root;
  part.bytes = whole.bytes;
  part.element = whole.element;
  part.commutative = whole.commutative;
  part.in_place = in_place;
  part.radix = whole.radix;
  return part;
}

/// Adds what `build` does for this part. `rank_of`: numbers of the part → ranks. `where`: what its
/// buffers are.
template <class RankOf>
void play(schedule& s, void (*build)(const problem&, schedule&), const problem& part,
          RankOf rank_of, const schedule::places& where) {
  schedule steps;
  build(part, steps);
  steps.become_part(rank_of, where);
  s.append(steps, 0, 0, 0);
}

constexpr schedule::places same_places{slice{place::send, 0, 0}, slice{place::receive, 0, 0},
                                       slice{place::scratch, 0, 0}};

/// Every rank of a node but those beyond the number that all nodes have owns a share of the vector.
inline partition share_out(const problem& p) noexcept {
  return {p.bytes, p.element, p.nodes->fewest()};
}

/// A round in which each rank gets its share from all others of its node and joins them, in their
/// order, into `sum`. What comes in lies in scratch from `free` on. Requires: several ranks on the
/// node.
inline void join_shares(schedule& s, const problem& p, const hierarchy& at, const partition& shares,
                        slice sum, std::size_t free) {
  const place from = p.input().buffer;
  for (int k = 1; k < at.count; ++k)
    if (const int to = (at.me + k) % at.count; to < shares.parts)
      s.send(at.local(to), shares.range(from, to, to + 1));
  if (at.me < shares.parts) {
    const slice own = shares.range(from, at.me, at.me + 1);
    const auto vector_of = [&](int number) {
      const auto before = static_cast<std::size_t>(number < at.me ? number : number - 1);
      return number == at.me ? own : slice{place::scratch, free + before * own.bytes, own.bytes};
    };
    for (int k = 1; k < at.count; ++k) {
      const int number = (at.me + at.count - k) % at.count;
      s.receive(at.local(number), vector_of(number));
    }
    s.need_scratch(free + static_cast<std::size_t>(at.count - 1) * own.bytes);
    slice joined = vector_of(0);
    for (int number = 1; number < at.count; ++number) {
      // As in allreduce_flat: into the right operand, but for this rank's own vector, which may be
      // read-only.
      const slice right = vector_of(number);
      const slice into = number + 1 == at.count || number == at.me ? sum : right;
      s.reduce(joined, right, into);
      joined = into;
    }
  }
  s.end_round();
}

/// A round in which the owners of shares give them to all others of their node, but to number
/// `without`.
inline void spread_shares(schedule& s, const hierarchy& at, const partition& shares, int without) {
  for (int k = 1; k < at.count; ++k)
    if (const int to = (at.me + k) % at.count; at.me < shares.parts && to != without)
      s.send(at.local(to), shares.range(place::receive, at.me, at.me + 1));
  for (int k = 1; k < at.count; ++k)
    if (const int from = (at.me + at.count - k) % at.count; from < shares.parts && at.me != without)
      s.receive(at.local(from), shares.range(place::receive, from, from + 1));
  s.end_round();
}

}  // namespace peal::algorithms
