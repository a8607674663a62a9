// Reduction for nodes with several ranks: along a tree to each node's leader, and along a tree of
// the leaders to that of the root's node. That is the root where the operation commutes; otherwise
// the lowest rank leads, for rank order, and hands the result on.
#include "collective/algorithms.hpp"
#include "collective/algorithms/hierarchy.hpp"
#include "collective/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void reduce_leaders(const problem& p, schedule& s) {
  const hierarchy at{p, p.commutative};
  // What a leader joins lies in the root's receive buffer, elsewhere in scratch, before room for
  // what comes in.
  schedule::places where = same_places;
  if (at.leads() && p.rank != p.root) {
    where[static_cast<std::size_t>(place::receive)] = {place::scratch, 0, p.bytes};
    where[static_cast<std::size_t>(place::scratch)].offset = p.bytes;
  }
  play(
      s, reduce_tree, among(p, at.me, at.count, 0, p.in_place),
      [&](int number) { return at.local(number); }, where);
  if (at.leads())
    play(
        s, reduce_tree, among(p, at.node, at.nodes.nodes(), at.home, true),
        [&](int node) { return at.rank(node, 0); }, where);
  const int last = at.rank(at.home, 0);
  if (last == p.root) return;
  if (p.rank == last) s.send(p.root, {place::scratch, 0, p.bytes});
  if (p.rank == p.root) s.receive(last, p.output());
  s.end_round();
}

static void reduce_leaders_price(const pricing& t) {
  t.sum.tree_inside(t.bytes, t.radix, true);
  t.sum.tree_between(t.bytes, t.radix, true, 1);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::reduce,
                                        .name = "leaders",
                                        .build = reduce_leaders,
                                        .price = reduce_leaders_price,
                                        .by_node = true,
                                        .segmentable = true};

}  // namespace peal::algorithms
