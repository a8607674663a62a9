// Broadcast of a long vector for nodes with several ranks: the root shares it out on its node,
// every rank there sends its share along a tree to its counterparts on the other nodes, and each
// node gathers the shares. All ranks of a node work between the nodes.
#include "collective/algorithms.hpp"
#include "collective/algorithms/hierarchy.hpp"
#include "collective/algorithms/pieces_by_node.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void bcast_shares(const problem& p, schedule& s) {
  const hierarchy at{p, true};
  const partition shares = share_out(p);
  if (at.node == at.home) {
    for (int to = 1; to < shares.parts && at.leads(); ++to)
      s.send(at.local(to), shares.range(place::receive, to, to + 1));
    if (!at.leads() && at.me < shares.parts)
      s.receive(p.root, shares.range(place::receive, at.me, at.me + 1));
    s.end_round();
  }
  if (at.me < shares.parts) {
    const slice own = shares.range(place::receive, at.me, at.me + 1);
    problem part = among(p, at.node, at.nodes.nodes(), at.home, false);
    part.bytes = own.bytes;
    schedule::places where = same_places;
    where[static_cast<std::size_t>(place::receive)] = own;
    play(s, bcast_tree, part, [&](int node) { return at.rank(node, at.me); }, where);
  }
  spread_shares(s, at, shares, at.node == at.home ? 0 : -1);
}

static void bcast_shares_price(const pricing& t) {
  pieces::hand_out(t, false);
  t.sum.tree_between(t.node_share(), t.radix, false, t.shares);
  t.sum.share_inside(t.node_share(), t.shares, false);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::bcast,
                                        .name = "shares",
                                        .build = bcast_shares,
                                        .price = bcast_shares_price,
                                        .by_node = true,
                                        .segmentable = true};

}  // namespace peal::algorithms
