// Allgather of short blocks for nodes with several ranks: each node's leader collects its blocks,
// the leaders exchange them as in allgather_bruck, and hand on what they have along a tree. In
// scratch the blocks stand node by node, this rank's first; at the end each is copied to its place.
#include "collective/algorithms.hpp"
#include "collective/algorithms/by_node.hpp"
#include "collective/algorithms/pieces_by_node.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void allgather_leaders(const problem& p, schedule& s) {
  const by_node at{p, s, false, one_leads};
  const int nodes = at.nodes.nodes();
  const auto node_above = [&](int distance) { return (at.node + distance + nodes) % nodes; };
  const auto bytes_of = [&](int node) {
    std::size_t bytes = 0;
    for (int i = 0; i < at.nodes.count(node); ++i) bytes += p.receive.bytes(at.nodes.rank(node, i));
    return bytes;
  };
  std::size_t total = 0;
  for (int node = 0; node < nodes; ++node) total += bytes_of(node);
  s.need_scratch(total);
  const slice all{place::scratch, 0, total};
  const slice own =
      p.in_place ? p.receive.of(place::receive, p.rank) : slice{place::send, 0, p.bytes};
  if (at.leads()) {
    std::size_t held = 0;
    for (int number = 0; number < at.count; ++number) {
      const slice goal{place::scratch, held, p.receive.bytes(at.local(number))};
      if (number == 0) s.copy(own, goal);
      else s.receive(at.local(number), goal);
      held += goal.bytes;
    }
    s.end_round();
    for (int count = 1; count < nodes; count *= 2) {
      const int more = std::min(count, nodes - count);
      std::size_t outgoing = 0;
      std::size_t incoming = 0;
      for (int k = 0; k < more; ++k) {
        outgoing += bytes_of(node_above(k));
        incoming += bytes_of(node_above(count + k));
      }
      s.send(at.counterpart(node_above(-count)), {place::scratch, 0, outgoing});
      s.receive(at.counterpart(node_above(count)), {place::scratch, held, incoming});
      s.end_round();
      held += incoming;
    }
  } else {
    s.send(at.local(0), own);
  }
  at.spread_whole(all);
  std::size_t offset = 0;
  for (int above = 0; above < nodes; ++above)
    for (int i = 0; i < at.nodes.count(node_above(above)); ++i) {
      const int rank = at.nodes.rank(node_above(above), i);
      const slice goal = p.receive.of(place::receive, rank);
      if (rank != p.rank || !p.in_place) s.copy({place::scratch, offset, goal.bytes}, goal);
      offset += goal.bytes;
    }
  s.end_round();
}

static void allgather_leaders_price(const pricing& t) {
  t.sum.fan(t.bytes, t.width() - 1, 1, true);
  t.sum.work(t.bytes, static_cast<double>(t.width() - 1) / t.width());
  t.sum.copy(t.bytes);
  for (int held = 1; held < t.nodes(); held *= 2) {
    pieces::between(t, t.bytes * t.width() * std::min(held, t.nodes() - held), 1, 1, false);
    if (held > t.nodes() / 2) break;
  }
  const double all = static_cast<double>(t.width()) * t.nodes();
  t.sum.tree_inside(t.bytes * all, t.radix, false);
  t.sum.copy(t.bytes, all);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allgather,
                                        .name = "leaders",
                                        .build = allgather_leaders,
                                        .price = allgather_leaders_price,
                                        .by_node = true,
                                        .by_radix = true};

}  // namespace peal::algorithms
