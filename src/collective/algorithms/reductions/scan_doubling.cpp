// Scan by recursive doubling: after round k a rank holds the vectors of the 2^k ranks up to itself,
// joined, and passes them to the rank 2^k above it. log2(size) rounds; rank order holds.
//
// Source   Hillis, Steele: Data parallel algorithms (1986).
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void scan_doubling(const problem& p, schedule& s) {
  const slice incoming{place::scratch, 0, p.bytes};
  if (p.rank > 0) s.need_scratch(p.bytes);
  slice sum = p.input();
  for (int distance = 1; distance < p.size; distance *= 2) {
    if (distance < p.size - p.rank) s.send(p.rank + distance, sum);
    if (distance <= p.rank) {
      s.receive(p.rank - distance, incoming);
      s.reduce(incoming, sum, p.output());
      sum = p.output();
    }
    s.end_round();
  }
  s.copy(sum, p.output());  // rank 0
  s.end_round();
}

static void scan_doubling_price(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2) {
    t.sum.shift(t.bytes, distance);
    t.sum.join(t.bytes);
  }
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::scan,
                                        .name = "doubling",
                                        .build = scan_doubling,
                                        .price = scan_doubling_price,
                                        .segmentable = true};

}  // namespace peal::algorithms
