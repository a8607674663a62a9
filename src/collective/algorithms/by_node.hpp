// collective/algorithms/by_node.hpp
// Collectives node by node, in three phases: inside each node the vectors come to k leaders, of
// which each has a share of the vector; each leader works for its share with its counterparts on
// the other nodes; inside each node the leaders give the others what they have. "leaders" has one
// leader a node, so the fewest messages cross, and trees inside. "shares" has as many as the
// smallest node has ranks, so all ranks of it work between the nodes; inside, shares go straight.
//
// Layer    collective.
#pragma once

#include <algorithm>
#include <limits>

#include "collective/algorithms.hpp"
#include "collective/algorithms/tree.hpp"
#include "collective/node_map.hpp"

namespace peal::algorithms {

inline constexpr int one_leads = 1;
inline constexpr int all_lead = std::numeric_limits<int>::max();

/// The ranks of each node are counted from its first leader. Requires: p.nodes.
struct by_node {
  const problem& call;
  schedule& s;
  const node_map& nodes;
  int home;          // the root's node
  int first;         // index of the first leader there; elsewhere the lowest rank is the first
  int node;          // this rank's
  int count;         // ranks there
  int me;            // this rank among them
  partition shares;  // of the leaders

  /// `root_leads`: on its node the root is the first leader; otherwise the lowest rank is, there,
  /// too, so that what is joined is joined in rank order. `leaders`: at most so many a node.
  by_node(const problem& p, schedule& steps, bool root_leads, int leaders) noexcept
      : call{p},
        s{steps},
        nodes{*p.nodes},
        home{nodes.node_of(p.root)},
        first{root_leads ? nodes.index_of(p.root) : 0},
        node{nodes.node_of(p.rank)},
        count{nodes.count(node)},
        me{(nodes.index_of(p.rank) - (node == home ? first : 0) + count) % count},
        shares{p.bytes, p.element, std::min(leaders, nodes.fewest())} {}

  [[nodiscard]] int rank(int in, int number) const noexcept {
    return nodes.rank(in, in == home ? (number + first) % nodes.count(in) : number);
  }
  [[nodiscard]] int local(int number) const noexcept { return rank(node, number); }
  /// On another node, what this rank is here.
  [[nodiscard]] int counterpart(int in) const noexcept { return rank(in, me); }
  [[nodiscard]] bool leads() const noexcept { return me < shares.parts; }
  /// On this node, so that there is something to join.
  [[nodiscard]] bool several() const noexcept { return count > 1; }
  [[nodiscard]] slice share(place where, int of) const noexcept {
    return shares.range(where, of, of + 1);
  }
  /// This rank's; empty where it does not lead.
  [[nodiscard]] slice own(place where) const noexcept {
    return leads() ? share(where, me) : slice{};
  }
  [[nodiscard]] tree inside() const noexcept { return {me, count, call.radix}; }

  /// The leaders get the shares of all vectors of the node, joined in their order, each its own in
  /// `sum`. What comes in lies in scratch from `free` on.
  void join(slice sum, std::size_t free) const {
    if (!several()) return;
    if (shares.parts > 1) return join_straight(sum, free);
    play(reduce_tree, among(me, count, 0, call.in_place, call.bytes),
         [&](int number) { return local(number); },
         {slice{place::send, 0, 0}, sum, slice{place::scratch, free, 0}});
  }

  /// A leader's work with its counterparts. Its share is in `sum` where several ranks have joined
  /// theirs, else where its own vector is.
  void between(void (*build)(const problem&, schedule&), slice sum, std::size_t free) const {
    if (!leads()) return;
    play(build, among(node, nodes.nodes(), home, several() || call.in_place, sum.bytes),
         [&](int in) { return counterpart(in); },
         {slice{place::send, own(place::send).offset, 0}, sum, slice{place::scratch, free, 0}});
  }

  /// Down the tree of the node, what its leader has: in the round that is still open, if there is
  /// one.
  void spread_whole(slice vector) const {
    if (!inside().is_root()) {
      s.receive(local(inside().parent()), vector);
      s.end_round();
    }
    inside().tallest_first([&](int child, int) { s.send(local(child), vector); });
    s.end_round();
  }

  /// The leaders give all others of their node their shares, but number `without`.
  void spread(int without = -1) const {
    if (shares.parts == 1) return spread_whole(call.output());
    for (int k = 1; k < count; ++k)
      if (const int to = (me + k) % count; leads() && to != without)
        s.send(local(to), own(place::receive));
    for (int k = 1; k < count; ++k)
      if (const int from = (me + count - k) % count; from < shares.parts && me != without)
        s.receive(local(from), share(place::receive, from));
    s.end_round();
  }

 private:
  /// The problem of `size` of the ranks, as number `rank` of them sees it.
  [[nodiscard]] problem among(int rank, int size, int root, bool in_place,
                              std::size_t bytes) const {
    problem part;
    part.rank = rank;
    part.size = size;
    part.root = root;
    part.bytes = bytes;
    part.element = call.element;
    part.commutative = call.commutative;
    part.in_place = in_place;
    part.radix = call.radix;
    return part;
  }

  /// Adds what `build` does for this part. `rank_of`: numbers of the part → ranks. `where`: what
  /// its buffers are.
  template <class RankOf>
  void play(void (*build)(const problem&, schedule&), const problem& part, RankOf rank_of,
            const schedule::places& where) const {
    schedule steps;
    build(part, steps);
    steps.become_part(rank_of, where);
    s.append(steps, 0, 0, 0);
  }

  /// Each leader gets its share from all others at once.
  void join_straight(slice sum, std::size_t free) const {
    const place from = call.input().buffer;
    for (int k = 1; k < count; ++k)
      if (const int to = (me + k) % count; to < shares.parts) s.send(local(to), share(from, to));
    if (leads()) {
      const slice mine = own(from);
      const auto vector_of = [&](int number) {
        const auto before = static_cast<std::size_t>(number < me ? number : number - 1);
        return number == me ? mine : slice{place::scratch, free + before * mine.bytes, mine.bytes};
      };
      for (int k = 1; k < count; ++k) {
        const int number = (me + count - k) % count;
        s.receive(local(number), vector_of(number));
      }
      s.need_scratch(free + static_cast<std::size_t>(count - 1) * mine.bytes);
      slice joined = vector_of(0);
      for (int number = 1; number < count; ++number) {
        // As in allreduce_flat: into the right operand, but for this rank's own vector, which may
        // be read-only.
        const slice right = vector_of(number);
        const slice into = number + 1 == count || number == me ? sum : right;
        s.reduce(joined, right, into);
        joined = into;
      }
    }
    s.end_round();
  }
};

}  // namespace peal::algorithms
