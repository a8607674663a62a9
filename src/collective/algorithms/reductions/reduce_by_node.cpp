// Reduction for nodes with several ranks: the leaders of each node join their shares of its
// vectors, their counterparts on all nodes join those along a tree, and the root gets the shares
// from the leaders of its node. One leader is the root itself where the operation commutes;
// otherwise the lowest rank leads, for rank order, and hands the result on.
#include "collective/algorithms.hpp"
#include "collective/algorithms/by_node.hpp"
#include "collective/algorithms/pieces_by_node.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void reduce_by_node(const problem& p, schedule& s, int leaders) {
  const by_node at{p, s, p.commutative, leaders};
  const bool at_root = p.rank == p.root;
  // Sums lie in the root's receive buffer, elsewhere in scratch, before room for what comes in.
  const slice in_place = at.own(place::receive);
  const slice sum = at_root ? in_place : slice{place::scratch, 0, in_place.bytes};
  const std::size_t free = at_root ? 0 : sum.bytes;
  at.join(sum, free);
  at.between(reduce_tree, sum, free);
  if (at.node != at.home) return;
  if (!at_root) s.send(p.root, sum);
  for (int from = 0; from < at.shares.parts && at_root; ++from)
    if (from != at.me) s.receive(at.local(from), at.share(place::receive, from));
  s.end_round();
}

namespace {

void reduce_leaders_price(const pricing& t) {
  t.sum.tree_inside(t.bytes, t.radix, true);
  t.sum.tree_between(t.bytes, t.radix, true, 1);
}

void reduce_shares_price(const pricing& t) {
  pieces::join_shares(t);
  t.sum.tree_between(t.node_share(), t.radix, true, t.shares);
  pieces::hand_out(t, true);
}

}  // namespace

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::reduce,
    .name = "leaders",
    .build = [](const problem& p, schedule& s) { reduce_by_node(p, s, one_leads); },
    .price = reduce_leaders_price,
    .by_node = true,
    .segmentable = true,
    .by_radix = true};

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::reduce,
    .name = "shares",
    .build = [](const problem& p, schedule& s) { reduce_by_node(p, s, all_lead); },
    .price = reduce_shares_price,
    .by_node = true,
    .segmentable = true,
    .by_radix = true};

}  // namespace peal::algorithms
