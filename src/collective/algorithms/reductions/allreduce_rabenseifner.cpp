// Allreduce of a long vector: reduce-scatter by recursive halving, then allgather by recursive
// doubling. Every rank sends and receives two vectors in all and reduces one.
//
// Source   Rabenseifner: Optimization of collective reduction operations (2004).
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/algorithms/reductions/halving.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

void allreduce_rabenseifner(const problem& p, schedule& s) {
  const folding fold{p.size};
  if (fold.gives(p.rank)) {
    s.send(p.rank + 1, p.input());
    s.end_round();
    s.receive(p.rank + 1, p.output());
    s.end_round();
    return;
  }
  slice vector = p.input();
  if (fold.takes(p.rank)) {
    s.receive(p.rank - 1, {place::scratch, 0, p.bytes});
    s.need_scratch(p.bytes);
    s.reduce({place::scratch, 0, p.bytes}, vector, p.output());
    s.end_round();
    vector = p.output();
  }
  const partition parts{p.bytes, p.element, fold.power};
  halving halves{fold, p.rank};
  vector = halves.join(s, parts, vector, p.output());
  while (!halves.all_undone()) {
    const auto [bit, partner, mine, theirs] = halves.undo();
    s.send(partner, parts.range(place::receive, mine.first, mine.last));
    s.receive(partner, parts.range(place::receive, theirs.first, theirs.last));
    s.end_round();
  }
  s.copy(vector, p.output());  // a single rank
  if (fold.takes(p.rank)) s.send(p.rank - 1, p.output());
  s.end_round();
}

static void allreduce_rabenseifner_price(const pricing& t) {
  pieces::fold(t);
  pieces::halve(t);
  double part = t.bytes / floor_power(t.ranks);
  for (int distance = floor_power(t.ranks) / 2; distance >= 1; distance /= 2, part *= 2)
    t.sum.swap(part, distance);
  pieces::unfold(t);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allreduce,
                                        .name = "rabenseifner",
                                        .build = allreduce_rabenseifner,
                                        .price = allreduce_rabenseifner_price,
                                        .segmentable = true,
                                        .gives = algorithm::bits::same};

}  // namespace peal::algorithms
