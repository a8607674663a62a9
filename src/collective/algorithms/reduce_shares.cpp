// Reduction of a long vector for nodes with several ranks: each rank of a node joins its share of
// the node's vectors, its counterparts on all nodes join that along a tree, and the root gathers
// the shares on its node. All ranks of a node work between the nodes.
#include "collective/algorithms.hpp"
#include "collective/algorithms/hierarchy.hpp"
#include "collective/algorithms/pieces_by_node.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void reduce_shares(const problem& p, schedule& s) {
  const hierarchy at{p, p.commutative};
  const partition shares = share_out(p);
  const bool at_root = p.rank == p.root;
  const bool several = at.count > 1;
  const bool owns = at.me < shares.parts;
  // Sums lie in the root's receive buffer, elsewhere in scratch, before room for what comes in.
  const slice place_there = owns ? shares.range(place::receive, at.me, at.me + 1) : slice{};
  const slice sum = at_root ? place_there : slice{place::scratch, 0, place_there.bytes};
  const std::size_t free = at_root ? 0 : sum.bytes;
  if (several) join_shares(s, p, at, shares, sum, free);
  if (owns) {
    problem part = among(p, at.node, at.nodes.nodes(), at.home, several || p.in_place);
    part.bytes = sum.bytes;
    const schedule::places where{slice{place::send, place_there.offset, 0}, sum,
                                 slice{place::scratch, free, 0}};
    s.need_scratch(free);
    play(s, reduce_tree, part, [&](int node) { return at.rank(node, at.me); }, where);
  }
  if (at.node != at.home) return;
  if (owns && !at_root) s.send(p.root, sum);
  for (int from = 0; from < shares.parts && at_root; ++from)
    if (from != at.me) s.receive(at.local(from), shares.range(place::receive, from, from + 1));
  s.end_round();
}

static void reduce_shares_price(const pricing& t) {
  pieces::join_shares(t);
  t.sum.tree_between(t.node_share(), t.radix, true, t.shares);
  pieces::hand_out(t, true);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::reduce,
                                        .name = "shares",
                                        .build = reduce_shares,
                                        .price = reduce_shares_price,
                                        .by_node = true,
                                        .segmentable = true};

}  // namespace peal::algorithms
