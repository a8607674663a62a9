// Alltoall in one round: all sends and receives at once, each rank beginning with its right
// neighbour so that no rank is the first one of all others.
#include "collective/algorithms.hpp"
#include "collective/algorithms/moves/alltoall.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void alltoall_linear(const problem& p, schedule& s) {
  const outgoing_blocks block{p, s};
  for (int k = 1; k < p.size; ++k) s.send(p.wrapped(p.rank + k), block.to(p.wrapped(p.rank + k)));
  for (int k = 1; k < p.size; ++k)
    s.receive(p.wrapped(p.rank - k), block.from(p.wrapped(p.rank - k)));
  block.keep(s);
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::alltoall,
                                        .name = "linear",
                                        .build = alltoall_linear,
                                        .price = pieces::blocks_to_all,
                                        .all_at_once = true};

}  // namespace peal::algorithms
