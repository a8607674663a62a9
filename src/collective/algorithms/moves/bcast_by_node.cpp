// Broadcast for nodes with several ranks: the root hands out the leaders' shares on its node, each
// leader sends its share along a tree to its counterparts on the other nodes, and gives it to the
// others of its node.
#include "collective/algorithms.hpp"
#include "collective/algorithms/by_node.hpp"
#include "collective/algorithms/pieces_by_node.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void bcast_by_node(const problem& p, schedule& s, int leaders) {
  const by_node at{p, s, true, leaders};
  if (at.node == at.home && at.leads()) {
    for (int to = 1; to < at.shares.parts && at.me == 0; ++to)
      s.send(at.local(to), at.share(place::receive, to));
    if (at.me != 0) s.receive(p.root, at.own(place::receive));
    s.end_round();
  }
  if (at.leads()) {
    const int nodes = at.nodes.nodes();
    const auto counterpart = [&](int from_home) {
      return at.counterpart((from_home + at.home) % nodes);
    };
    const tree outside{(at.node - at.home + nodes) % nodes, nodes, p.radix};
    if (!outside.is_root()) {
      s.receive(counterpart(outside.parent()), at.own(place::receive));
      s.end_round();
    }
    outside.tallest_first(
        [&](int child, int) { s.send(counterpart(child), at.own(place::receive)); });
    // What leaves does so in one round with what is sent inside, the longer way first (peal-sim, 8
    // nodes with 16 ranks, 1 MiB in shares: 126 µs, in two rounds 160).
  }
  at.spread(at.node == at.home ? 0 : -1);
}

namespace {

void bcast_leaders_price(const pricing& t) {
  t.sum.tree_between(t.bytes, t.radix, false, 1);
  t.sum.tree_inside(t.bytes, t.radix, false);
}

void bcast_shares_price(const pricing& t) {
  pieces::hand_out(t, false);
  t.sum.tree_between(t.node_share(), t.radix, false, t.shares);
  t.sum.share_inside(t.node_share(), t.shares, false);
}

}  // namespace

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::bcast,
    .name = "leaders",
    .build = [](const problem& p, schedule& s) { bcast_by_node(p, s, one_leads); },
    .price = bcast_leaders_price,
    .by_node = true,
    .segmentable = true,
    .by_radix = true};

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::bcast,
    .name = "shares",
    .build = [](const problem& p, schedule& s) { bcast_by_node(p, s, all_lead); },
    .price = bcast_shares_price,
    .by_node = true,
    .segmentable = true,
    .by_radix = true};

}  // namespace peal::algorithms
