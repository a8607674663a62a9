// Reduce-scatter around a ring: partial sums of the blocks travel once around and end with their
// owners. Messages go to one neighbour only; each block is joined beginning at another rank, so the
// operation must commute.
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void reduce_scatter_ring(const problem& p, schedule& s) {
  const int right = p.wrapped(p.rank + 1);
  const int left = p.wrapped(p.rank - 1);
  std::size_t longest = 0;
  for (int owner = 0; owner < p.size; ++owner) longest = std::max(longest, p.send.bytes(owner));

  slice current = p.part_for(left);
  for (int k = 0; k + 1 < p.size; ++k) {
    const slice own = p.part_for(p.wrapped(p.rank - k - 2));
    const slice incoming{place::scratch, 0, own.bytes};
    const bool last = k + 2 == p.size;
    // In turn, since the sum before is being sent; in place this rank's part may lie across the
    // goal of the result.
    const slice sum =
        last && !p.in_place
            ? p.own_part()
            : slice{place::scratch, static_cast<std::size_t>(1 + k % 2) * longest, own.bytes};
    s.send(right, current);
    s.receive(left, incoming);
    s.reduce(incoming, own, sum, last && !p.in_place);
    s.end_round();
    current = sum;
  }
  if (p.size > 1) s.need_scratch(3 * longest);
  s.copy(current, p.own_part());
  s.end_round();
}

static void reduce_scatter_ring_price(const pricing& t) {
  t.sum.ring(t.share(), t.ranks - 1);
  t.sum.join(t.share(), t.ranks - 1);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::reduce_scatter,
                                        .name = "ring",
                                        .build = reduce_scatter_ring,
                                        .price = reduce_scatter_ring_price,
                                        .any_order = true};

}  // namespace peal::algorithms
