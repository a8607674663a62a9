// Allreduce of a long vector: reduce-scatter by recursive halving, then allgather by recursive doubling. Every rank sends and receives two
// vectors in all and reduces one. Halving begins with neighbours, so that what is joined is always two adjacent groups of ranks in order.
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

void allreduce_rabenseifner(const problem& p, schedule& s) {
  const folding fold{p.size};
  if (fold.gives(p.rank)) {
    s.send(p.rank + 1, p.input());
    s.end_round();
    s.receive(p.rank + 1, p.output());
    s.end_round();
    return;
  }
  place current = p.input().buffer;
  if (fold.takes(p.rank)) {
    s.receive(p.rank - 1, {place::scratch, 0, p.bytes});
    s.need_scratch(p.bytes);
    s.reduce({place::scratch, 0, p.bytes}, p.input(), p.output());
    s.end_round();
    current = place::receive;
  }
  const int me = fold.folded(p.rank);
  const partition parts{p.bytes, p.element, fold.power};
  std::array<range, 32> mine;  // the parts that I was left with before each halving
  int depth = 0;
  range kept{0, fold.power};
  for (int bit = 1; bit < fold.power; bit *= 2) {
    mine[static_cast<std::size_t>(depth++)] = kept;
    const int middle = (kept.first + kept.last) / 2;
    const bool upper = me & bit;
    const range given = upper ? range{kept.first, middle} : range{middle, kept.last};
    kept = upper ? range{middle, kept.last} : range{kept.first, middle};
    const int partner = fold.real(me ^ bit);
    const slice own = parts.range(current, kept.first, kept.last);
    const slice incoming{place::scratch, 0, own.bytes};
    const slice into = parts.range(place::receive, kept.first, kept.last);
    s.send(partner, parts.range(current, given.first, given.last));
    s.receive(partner, incoming);
    s.need_scratch(own.bytes);
    if (upper) s.reduce(incoming, own, into);
    else s.reduce(own, incoming, into);
    s.end_round();
    current = place::receive;
  }
  for (int bit = fold.power / 2; bit >= 1; bit /= 2) {
    const range whole = mine[static_cast<std::size_t>(--depth)];
    const range other = kept.first == whole.first ? range{kept.last, whole.last} : range{whole.first, kept.first};
    const int partner = fold.real(me ^ bit);
    s.send(partner, parts.range(place::receive, kept.first, kept.last));
    s.receive(partner, parts.range(place::receive, other.first, other.last));
    s.end_round();
    kept = whole;
  }
  s.copy({current, 0, p.bytes}, p.output());  // a single rank
  if (fold.takes(p.rank)) s.send(p.rank - 1, p.output());
  s.end_round();
}

}  // namespace peal::algorithms
