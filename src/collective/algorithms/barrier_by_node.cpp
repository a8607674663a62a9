// Barrier for nodes with several ranks: along a tree to the node's leader, between the leaders by
// dissemination, and along the tree back. Only leaders send to other nodes, one message a round.
#include "collective/algorithms.hpp"
#include "collective/algorithms/by_node.hpp"
#include "collective/algorithms/pieces_by_node.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void barrier_leaders(const problem& p, schedule& s) {
  const by_node at{p, s, false, one_leads};
  const tree t = at.inside();
  t.nearest_first([&](int child, int) { s.await(at.local(child)); });
  s.end_round();
  at.between(barrier_dissemination, {}, 0);
  if (!at.leads()) {
    s.signal(at.local(t.parent()));
    s.await(at.local(t.parent()));
    s.end_round();
  }
  t.tallest_first([&](int child, int) { s.signal(at.local(child)); });
  s.end_round();
}

static void barrier_leaders_price(const pricing& t) {
  t.sum.tree_inside(0, t.radix, false);
  pieces::between(t, 0, pieces::rounds_among(t.nodes()), 1, false);
  t.sum.tree_inside(0, t.radix, false);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::barrier,
                                        .name = "leaders",
                                        .build = barrier_leaders,
                                        .price = barrier_leaders_price,
                                        .by_node = true,
                                        .by_radix = true};

}  // namespace peal::algorithms
