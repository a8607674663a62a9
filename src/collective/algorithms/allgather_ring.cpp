// Allgather around a ring: in each round a rank passes on the block that it received in the round before. Blocks go straight to their
// places, and each link carries each block once.
#include "collective/algorithms.hpp"

namespace peal::algorithms {

void allgather_ring(const problem& p, schedule& s) {
  const auto block = [&](int back) { return p.receive.of(place::receive, p.wrapped(p.rank - back)); };
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

}  // namespace peal::algorithms
