// Allreduce for nodes with several ranks: the leaders of each node join their shares of its
// vectors, each joins that with its counterparts on all nodes, and gives the result to the others
// of its node. What crosses between nodes is as much with many leaders as with one.
#include "collective/algorithms.hpp"
#include "collective/algorithms/by_node.hpp"
#include "collective/algorithms/pieces_by_node.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void allreduce_by_node(const problem& p, schedule& s, int leaders) {
  const by_node at{p, s, false, leaders};
  const slice own = at.own(place::receive);
  at.join(own, 0);
  at.between(leaders == one_leads || own.bytes <= most_swapped_share ? allreduce_doubling
                                                                     : allreduce_rabenseifner,
             own, 0);
  at.spread();
}

namespace {

void allreduce_leaders_price(const pricing& t) {
  t.sum.tree_inside(t.bytes, t.radix, true);
  pieces::doubling(t, t.bytes, 1);
  t.sum.tree_inside(t.bytes, t.radix, false);
}

void allreduce_shares_price(const pricing& t) {
  pieces::join_shares(t);
  if (t.node_share() <= most_swapped_share) pieces::doubling(t, t.node_share(), t.shares);
  else pieces::rabenseifner(t, t.node_share());
  t.sum.share_inside(t.node_share(), t.shares, false);
}

}  // namespace

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::allreduce,
    .name = "leaders",
    .build = [](const problem& p, schedule& s) { allreduce_by_node(p, s, one_leads); },
    .price = allreduce_leaders_price,
    .by_node = true,
    .segmentable = true,
    .by_radix = true};

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::allreduce,
    .name = "shares",
    .build = [](const problem& p, schedule& s) { allreduce_by_node(p, s, all_lead); },
    .price = allreduce_shares_price,
    .by_node = true,
    .segmentable = true};

}  // namespace peal::algorithms
