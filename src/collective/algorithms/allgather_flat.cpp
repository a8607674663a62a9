// Allgather in one round: everyone sends its block to everyone, straight to its place.
#include "collective/algorithms.hpp"

namespace peal::algorithms {

void allgather_flat(const problem& p, schedule& s) {
  const slice own = p.receive.of(place::receive, p.rank);
  const slice from = p.in_place ? own : slice{place::send, 0, p.bytes};
  for (int k = 1; k < p.size; ++k) s.send(p.wrapped(p.rank + k), from);
  for (int k = 1; k < p.size; ++k) {
    const int left = p.wrapped(p.rank - k);
    s.receive(left, p.receive.of(place::receive, left));
  }
  s.copy(from, own);
  s.end_round();
}

}  // namespace peal::algorithms
