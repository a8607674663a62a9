// Allreduce of a long vector for nodes with several ranks: each rank of a node joins its share of
// the node's vectors, joins that with its counterparts on all nodes, and gives the result to the
// others of its node. All ranks of a node work between the nodes, and what crosses between them is
// as much as with one rank a node.
#include "collective/algorithms.hpp"
#include "collective/algorithms/hierarchy.hpp"
#include "collective/algorithms/pieces_by_node.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void allreduce_shares(const problem& p, schedule& s) {
  const hierarchy at{p, false};
  const partition shares = share_out(p);
  const bool several = at.count > 1;
  if (several)
    join_shares(s, p, at, shares,
                at.me < shares.parts ? shares.range(place::receive, at.me, at.me + 1) : slice{}, 0);
  if (at.me < shares.parts) {
    const slice own = shares.range(place::receive, at.me, at.me + 1);
    problem part = among(p, at.node, at.nodes.nodes(), 0, several || p.in_place);
    part.bytes = own.bytes;
    const schedule::places where{slice{place::send, own.offset, 0}, own,
                                 slice{place::scratch, 0, 0}};
    play(
        s, own.bytes <= most_swapped_share ? allreduce_doubling : allreduce_rabenseifner, part,
        [&](int node) { return at.rank(node, at.me); }, where);
  }
  spread_shares(s, at, shares, -1);
}

static void allreduce_shares_price(const pricing& t) {
  pieces::join_shares(t);
  if (t.node_share() <= most_swapped_share) pieces::doubling(t, t.node_share(), t.shares);
  else pieces::rabenseifner(t, t.node_share());
  t.sum.share_inside(t.node_share(), t.shares, false);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allreduce,
                                        .name = "shares",
                                        .build = allreduce_shares,
                                        .price = allreduce_shares_price,
                                        .by_node = true,
                                        .segmentable = true};

}  // namespace peal::algorithms
