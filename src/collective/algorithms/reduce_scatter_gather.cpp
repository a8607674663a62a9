// Reduction of a long vector: reduce-scatter by recursive halving, then the parts are gathered at the root along the same pairs, backwards.
// Halving begins with neighbours, so rank order holds.
//
// Source   Rabenseifner: Optimization of collective reduction operations (2004).
#include <array>

#include "collective/algorithms.hpp"

namespace peal::algorithms {

namespace {

struct range {
  int first;
  int last;
};

}  // namespace

void reduce_scatter_gather(const problem& p, schedule& s) {
  const folding fold{p.size};
  // Who ends up with the result among the ranks that stay: the root, or the rank that took the root's vector.
  const int collector = fold.gives(p.root) ? p.root + 1 : p.root;
  if (fold.gives(p.rank)) {
    s.send(p.rank + 1, p.input());
    s.end_round();
    if (p.rank == p.root) s.receive(collector, p.output());
    s.end_round();
    return;
  }
  // Partial sums live in the root's receive buffer, elsewhere in scratch, behind room for what comes in.
  const bool at_root = p.rank == p.root;
  const place sums = at_root ? place::receive : place::scratch;
  const std::size_t base = at_root ? 0 : p.bytes;
  s.need_scratch(base + p.bytes);
  slice vector = p.input();
  if (fold.takes(p.rank)) {
    const slice incoming{place::scratch, 0, p.bytes};
    s.receive(p.rank - 1, incoming);
    s.reduce(incoming, vector, {sums, base, p.bytes});
    s.end_round();
    vector = {sums, base, p.bytes};
  }
  const int me = fold.folded(p.rank);
  const int top = fold.folded(collector);
  const partition parts{p.bytes, p.element, fold.power};
  std::array<range, 32> before;
  int depth = 0;
  range kept{0, fold.power};
  for (int bit = 1; bit < fold.power; bit *= 2) {
    before[static_cast<std::size_t>(depth++)] = kept;
    const int middle = (kept.first + kept.last) / 2;
    const bool upper = me & bit;
    const range given = upper ? range{kept.first, middle} : range{middle, kept.last};
    kept = upper ? range{middle, kept.last} : range{kept.first, middle};
    const int partner = fold.real(me ^ bit);
    const slice own = parts.range(vector.buffer, kept.first, kept.last, vector.offset);
    const slice incoming{place::scratch, 0, own.bytes};
    const slice into = parts.range(sums, kept.first, kept.last, base);
    s.send(partner, parts.range(vector.buffer, given.first, given.last, vector.offset));
    s.receive(partner, incoming);
    if (upper) s.reduce(incoming, own, into);
    else s.reduce(own, incoming, into);
    s.end_round();
    vector = {sums, base, p.bytes};
  }
  for (int bit = fold.power / 2; bit >= 1; bit /= 2) {
    const range whole = before[static_cast<std::size_t>(--depth)];
    const int partner = fold.real(me ^ bit);
    if ((me ^ top) & bit) {  // the collector is on the partner's side
      s.send(partner, parts.range(sums, kept.first, kept.last, base));
      s.end_round();
      break;
    }
    const range other = kept.first == whole.first ? range{kept.last, whole.last} : range{whole.first, kept.first};
    s.receive(partner, parts.range(sums, other.first, other.last, base));
    s.end_round();
    kept = whole;
  }
  if (p.rank == collector) {
    if (at_root) s.copy(vector, p.output());  // a single rank
    else s.send(p.root, {sums, base, p.bytes});
    s.end_round();
  }
}

}  // namespace peal::algorithms
