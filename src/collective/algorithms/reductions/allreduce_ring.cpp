// Allreduce around a ring: the vector is cut into `size` parts; partial sums of the parts travel
// around once, then the results. Every link is used alike, messages go to one neighbour only; each
// part is joined beginning at another rank, so the operation must commute.
//
// Source   Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations
//          (2009).
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void allreduce_ring(const problem& p, schedule& s) {
  const partition parts{p.bytes, p.element, p.size};
  const int right = p.wrapped(p.rank + 1);
  const int left = p.wrapped(p.rank - 1);
  const auto part = [&](place where, int k) {
    const int index = p.wrapped(p.rank - k);
    return parts.range(where, index, index + 1);
  };
  place current = p.input().buffer;
  for (int k = 0; k + 1 < p.size; ++k) {
    const slice own = part(p.input().buffer, k + 1);
    const slice incoming{place::scratch, 0, own.bytes};
    s.send(right, part(current, k));
    s.receive(left, incoming);
    s.need_scratch(own.bytes);
    s.reduce(incoming, own, part(place::receive, k + 1));
    s.end_round();
    current = place::receive;
  }
  for (int k = 0; k + 1 < p.size; ++k) {
    s.send(right, part(place::receive, k - 1));
    s.receive(left, part(place::receive, k));
    s.end_round();
  }
  s.copy({current, 0, p.bytes}, p.output());  // a single rank
  s.end_round();
}

static void allreduce_ring_price(const pricing& t) {
  t.sum.ring(t.share(), 2.0 * (t.ranks - 1));
  t.sum.join(t.share(), t.ranks - 1);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allreduce,
                                        .name = "ring",
                                        .build = allreduce_ring,
                                        .price = allreduce_ring_price,
                                        .any_order = true,
                                        .segmentable = true};

}  // namespace peal::algorithms
