// Alltoall in one round: all sends and receives at once, each rank beginning with its right neighbour so that no rank is everybody's first.
#include "collective/algorithms/alltoall.hpp"

namespace peal::algorithms {

void alltoall_linear(const problem& p, schedule& s) {
  const outgoing_blocks block{p, s};
  for (int k = 1; k < p.size; ++k) s.send(p.wrapped(p.rank + k), block.to(p.wrapped(p.rank + k)));
  for (int k = 1; k < p.size; ++k) s.receive(p.wrapped(p.rank - k), block.from(p.wrapped(p.rank - k)));
  block.keep(s);
  s.end_round();
}

}  // namespace peal::algorithms
