// Reduce-scatter in size - 1 rounds, in each of which a rank sends one block to its owner and joins
// one that comes for itself. Nothing is passed on, so every rank sends a vector less its own block
// and needs room for three blocks at most. Blocks come from the ranks below downwards, then from
// the highest on: each stands left of the last, cyclically. Where the operation does not commute,
// what comes from above is joined apart, and both at the end: that is rank order.
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void reduce_scatter_pairwise(const problem& p, schedule& s) {
  const slice result = p.own_part();
  const std::size_t bytes = result.bytes;
  const slice incoming{place::scratch, 0, bytes};
  const slice higher{place::scratch, bytes, bytes};
  // In place the goal of the result still holds what waits to be sent.
  const slice lower = p.in_place ? slice{place::scratch, 2 * bytes, bytes} : result;
  if (p.size > 1) s.need_scratch((p.in_place ? 3 : 2) * bytes);
  const bool apart = !p.commutative && p.rank + 1 < p.size;

  slice sum = p.part_for(p.rank);
  for (int k = 1; k < p.size; ++k) {
    const int to = p.wrapped(p.rank + k);
    const int from = p.wrapped(p.rank - k);
    s.send(to, p.part_for(to));
    if (from < p.rank || !apart) {
      s.receive(from, incoming);
      s.reduce(incoming, sum, lower, k + 1 == p.size && !p.in_place);
      sum = lower;
    } else if (from + 1 == p.size) {
      s.receive(from, higher);
    } else {
      s.receive(from, incoming);
      s.reduce(incoming, higher, higher);
    }
    s.end_round();
  }
  if (apart) s.reduce(sum, higher, result);
  else s.copy(sum, result);
  s.end_round();
}

static void reduce_scatter_pairwise_price(const pricing& t) {
  t.sum.pairwise(t.share());
  t.sum.join(t.share(), t.ranks - 1);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::reduce_scatter,
                                        .name = "pairwise",
                                        .build = reduce_scatter_pairwise,
                                        .price = reduce_scatter_pairwise_price};

}  // namespace peal::algorithms
