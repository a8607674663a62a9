// Reduce-scatter in size - 1 rounds, in each of which a rank sends one block to its owner and joins one that comes for itself. Nothing is
// passed on, so every rank sends a vector less its own block and needs room for three blocks at most. What comes from the ranks below is
// joined with this rank's own, what comes from those above apart from it, and both at the end: that is rank order.
#include "collective/algorithms.hpp"

namespace peal::algorithms {

void reduce_scatter_pairwise(const problem& p, schedule& s) {
  const slice result = p.own_part();
  const std::size_t bytes = result.bytes;
  const slice incoming{place::scratch, 0, bytes};
  const slice higher{place::scratch, bytes, bytes};
  // In place the goal of the result still holds what waits to be sent.
  const slice lower = p.in_place ? slice{place::scratch, 2 * bytes, bytes} : result;
  if (p.size > 1) s.need_scratch((p.in_place ? 3 : 2) * bytes);

  slice sum = p.part_for(p.rank);  // of the ranks below and this one
  for (int k = 1; k < p.size; ++k) {
    const int to = p.wrapped(p.rank + k);
    const int from = p.wrapped(p.rank - k);
    s.send(to, p.part_for(to));
    if (from + 1 == p.size) {
      s.receive(from, higher);
    } else {
      s.receive(from, incoming);
      if (from < p.rank) {
        s.reduce(incoming, sum, lower);
        sum = lower;
      } else {
        s.reduce(incoming, higher, higher);
      }
    }
    s.end_round();
  }
  if (p.rank + 1 < p.size) s.reduce(sum, higher, result, true);
  else s.copy(sum, result);
  s.end_round();
}

}  // namespace peal::algorithms
