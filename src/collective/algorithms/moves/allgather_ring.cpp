// Allgather around a ring: in each round a rank passes on the block that it received in the round
// before. Blocks go straight to their places, and each link carries each block once.
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void allgather_ring(const problem& p, schedule& s) {
  const auto block = [&](int back) {
    return p.receive.of(place::receive, p.wrapped(p.rank - back));
  };
  const slice own = p.in_place ? block(0) : slice{place::send, 0, p.bytes};
  const int right = p.wrapped(p.rank + 1);
  const int left = p.wrapped(p.rank - 1);
  for (int k = 0; k + 1 < p.size; ++k) {
    s.send(right, k == 0 ? own : block(k));
    s.receive(left, block(k + 1));
    if (k == 0) s.copy(own, block(0));
    s.end_round();
  }
  if (p.size == 1) s.copy(own, block(0));
  s.end_round();
}

static void allgather_ring_price(const pricing& t) {
  t.sum.ring(t.bytes, t.ranks - 1);
  t.sum.copy(t.bytes);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allgather,
                                        .name = "ring",
                                        .build = allgather_ring,
                                        .price = allgather_ring_price};

}  // namespace peal::algorithms
