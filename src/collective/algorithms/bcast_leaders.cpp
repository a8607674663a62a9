// Broadcast for nodes with several ranks: along a tree from leader to leader, on the root's node
// the root, and from there along a tree inside each node. A vector goes to each node once.
#include "collective/algorithms.hpp"
#include "collective/algorithms/hierarchy.hpp"
#include "collective/algorithms/tree.hpp"
#include "collective/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void bcast_leaders(const problem& p, schedule& s) {
  const hierarchy at{p, true};
  const int nodes = at.nodes.nodes();
  const auto leader = [&](int from_home) { return at.rank((from_home + at.home) % nodes, 0); };
  const tree outside{(at.node - at.home + nodes) % nodes, nodes, p.radix};
  const tree inside{at.me, at.count, p.radix};
  if (p.rank != p.root) {
    s.receive(at.leads() ? leader(outside.parent()) : at.local(inside.parent()), p.output());
    s.end_round();
  }
  // The longer way first.
  if (at.leads()) outside.tallest_first([&](int child, int) { s.send(leader(child), p.output()); });
  inside.tallest_first([&](int child, int) { s.send(at.local(child), p.output()); });
  s.end_round();
}

static void bcast_leaders_price(const pricing& t) {
  t.sum.tree_between(t.bytes, t.radix, false, 1);
  t.sum.tree_inside(t.bytes, t.radix, false);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::bcast,
                                        .name = "leaders",
                                        .build = bcast_leaders,
                                        .price = bcast_leaders_price,
                                        .by_node = true,
                                        .segmentable = true};

}  // namespace peal::algorithms
