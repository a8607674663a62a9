// Allreduce by recursive doubling: in round k each rank swaps whole vectors with the rank whose
// number differs in bit k. The groups joined are neighbours, the lower one always stands left, so
// rank order holds and every rank computes the same bits.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

void allreduce_doubling(const problem& p, schedule& s) {
  const folding fold{p.size};
  const slice incoming{place::scratch, 0, p.bytes};
  if (fold.gives(p.rank)) {
    s.send(p.rank + 1, p.input());
    s.end_round();
    s.receive(p.rank + 1, p.output());
    s.end_round();
    return;
  }
  s.need_scratch(p.bytes);
  slice current = p.input();
  if (fold.takes(p.rank)) {
    s.receive(p.rank - 1, incoming);
    s.reduce(incoming, current, p.output());
    s.end_round();
    current = p.output();
  }
  const int me = fold.folded(p.rank);
  for (int bit = 1; bit < fold.power; bit *= 2) {
    const int partner = fold.real(me ^ bit);
    s.send(partner, current);
    s.receive(partner, incoming);
    const bool last = bit * 2 == fold.power && !fold.takes(p.rank);
    if (me & bit) s.reduce(incoming, current, p.output(), last);
    else s.reduce(current, incoming, p.output(), last);
    s.end_round();
    current = p.output();
  }
  s.copy(current, p.output());  // a single rank
  if (fold.takes(p.rank)) s.send(p.rank - 1, p.output());
  s.end_round();
}

static void allreduce_doubling_price(const pricing& t) {
  pieces::fold(t);
  for (int distance = 1; distance < floor_power(t.ranks); distance *= 2) {
    t.sum.swap(t.bytes, distance);
    t.sum.join(t.bytes);
  }
  // The rank that has folded gets short messages from those that were not behind, and so has ended,
  // and told its neighbour, before the last.
  if (t.sum.announces(t.bytes)) pieces::unfold(t);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allreduce,
                                        .name = "doubling",
                                        .build = allreduce_doubling,
                                        .price = allreduce_doubling_price,
                                        .segmentable = true,
                                        .gives = algorithm::bits::same};

}  // namespace peal::algorithms
