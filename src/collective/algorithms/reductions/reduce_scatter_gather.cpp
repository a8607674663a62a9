// Reduction of a long vector: reduce-scatter by recursive halving, then the parts are gathered at
// the root along the same pairs, backwards.
//
// Source   Rabenseifner: Optimization of collective reduction operations (2004).
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/algorithms/reductions/halving.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void reduce_scatter_gather(const problem& p, schedule& s) {
  const folding fold{p.size};
  // The rank that ends up with the result among those that stay: the root, or the rank that took
  // the root's vector.
  const int collector = fold.gives(p.root) ? p.root + 1 : p.root;
  if (fold.gives(p.rank)) {
    s.send(p.rank + 1, p.input());
    s.end_round();
    if (p.rank == p.root) s.receive(collector, p.output());
    s.end_round();
    return;
  }
  // Partial sums live in the root's receive buffer, elsewhere in scratch, behind room for what
  // comes in.
  const bool at_root = p.rank == p.root;
  const slice sums =
      at_root ? slice{place::receive, 0, p.bytes} : slice{place::scratch, p.bytes, p.bytes};
  s.need_scratch(at_root ? p.bytes : 2 * p.bytes);
  slice vector = p.input();
  if (fold.takes(p.rank)) {
    const slice incoming{place::scratch, 0, p.bytes};
    s.receive(p.rank - 1, incoming);
    s.reduce(incoming, vector, sums);
    s.end_round();
    vector = sums;
  }
  const partition parts{p.bytes, p.element, fold.power};
  const int apart = fold.folded(p.rank) ^ fold.folded(collector);
  halving halves{fold, p.rank};
  vector = halves.join(s, parts, vector, sums);
  while (!halves.all_undone()) {
    const auto [bit, partner, mine, theirs] = halves.undo();
    const bool gives = apart & bit;  // the collector is on the partner's side
    if (gives) s.send(partner, parts.range(sums.buffer, mine.first, mine.last, sums.offset));
    else s.receive(partner, parts.range(sums.buffer, theirs.first, theirs.last, sums.offset));
    s.end_round();
    if (gives) break;
  }
  if (p.rank == collector) {
    if (at_root) s.copy(vector, p.output());  // a single rank
    else s.send(p.root, sums);
    s.end_round();
  }
}

static void reduce_scatter_gather_price(const pricing& t) {
  pieces::fold(t);
  pieces::halve(t);
  double part = t.bytes / floor_power(t.ranks);
  for (int distance = floor_power(t.ranks) / 2; distance >= 1; distance /= 2, part *= 2) {
    t.sum.fan(part, 1, distance, true);
    t.sum.work(part, 0.5);
  }
  pieces::unfold(t);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::reduce,
                                        .name = "scatter_gather",
                                        .build = reduce_scatter_gather,
                                        .price = reduce_scatter_gather_price,
                                        .segmentable = true,
                                        .gives = algorithm::bits::same};

}  // namespace peal::algorithms
