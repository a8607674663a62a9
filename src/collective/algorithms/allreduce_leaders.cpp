// Allreduce for nodes with several ranks: along a tree to the node's leader, between the leaders by
// doubling, and along the tree back. Only leaders send to other nodes, which takes the fewest
// messages there: the choice for small vectors.
#include "collective/algorithms.hpp"
#include "collective/algorithms/hierarchy.hpp"
#include "collective/algorithms/pieces_by_node.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void allreduce_leaders(const problem& p, schedule& s) {
  const hierarchy at{p, false};
  const auto local = [&](int number) { return at.local(number); };
  // A leader that is alone on its node has joined nothing yet.
  const bool several = at.count > 1;
  if (several) play(s, reduce_tree, among(p, at.me, at.count, 0, p.in_place), local, same_places);
  if (at.leads())
    play(
        s, allreduce_doubling, among(p, at.node, at.nodes.nodes(), 0, several || p.in_place),
        [&](int node) { return at.rank(node, 0); }, same_places);
  play(s, bcast_tree, among(p, at.me, at.count, 0, false), local, same_places);
}

static void allreduce_leaders_price(const pricing& t) {
  t.sum.tree_inside(t.bytes, t.radix, true);
  pieces::doubling(t, t.bytes, 1);
  t.sum.tree_inside(t.bytes, t.radix, false);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allreduce,
                                        .name = "leaders",
                                        .build = allreduce_leaders,
                                        .price = allreduce_leaders_price,
                                        .by_node = true,
                                        .segmentable = true};

}  // namespace peal::algorithms
