// Exclusive scan by recursive doubling, as scan_doubling: beside the sum that is passed on, which
// has this rank's own vector in it, a rank keeps one without. A rank that sends no more joins only
// the latter.
//
// Source   Hillis, Steele: Data parallel algorithms (1986).
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void exscan_doubling(const problem& p, schedule& s) {
  const slice incoming{place::scratch, 0, p.bytes};
  const slice sum{place::scratch, p.bytes, p.bytes};
  if (p.rank > 0) s.need_scratch(2 * p.bytes);
  slice passed_on = p.input();
  for (int distance = 1; distance < p.size; distance *= 2) {
    if (distance < p.size - p.rank) s.send(p.rank + distance, passed_on);
    if (distance <= p.rank) {
      // The first that comes is the result so far; in place its goal still holds this rank's own
      // vector.
      const bool first = distance == 1;
      const slice came = first && !p.in_place ? p.output() : incoming;
      s.receive(p.rank - distance, came);
      if (!first) s.reduce(came, p.output(), p.output());
      if (2 * distance < p.size - p.rank) {
        s.reduce(came, passed_on, sum);
        passed_on = sum;
      }
      if (first) s.copy(came, p.output());
    }
    s.end_round();
  }
}

static void exscan_doubling_price(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2) {
    t.sum.shift(t.bytes, distance);
    if (distance > 1) t.sum.join(t.bytes);
    if (2 * distance < t.ranks) t.sum.join(t.bytes);
  }
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::exscan,
                                        .name = "doubling",
                                        .build = exscan_doubling,
                                        .price = exscan_doubling_price,
                                        .segmentable = true};

}  // namespace peal::algorithms
