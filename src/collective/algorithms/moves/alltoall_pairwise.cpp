// Alltoall in size - 1 rounds, in each of which a rank sends to one rank and receives from one:
// long blocks do not crowd at one receiver.
#include "collective/algorithms.hpp"
#include "collective/algorithms/moves/alltoall.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void alltoall_pairwise(const problem& p, schedule& s) {
  const outgoing_blocks block{p, s};
  const bool power = floor_power(p.size) == p.size;
  block.keep(s);
  s.end_round();
  for (int k = 1; k < p.size; ++k) {
    // With a power of two the two ranks of a round swap; else blocks go round.
    const int to = power ? p.rank ^ k : p.wrapped(p.rank + k);
    const int from = power ? p.rank ^ k : p.wrapped(p.rank - k);
    s.send(to, block.to(to));
    s.receive(from, block.from(from));
    s.end_round();
  }
}

static void alltoall_pairwise_price(const pricing& t) {
  t.sum.pairwise(t.bytes);
  t.sum.copy(t.bytes);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::alltoall,
                                        .name = "pairwise",
                                        .build = alltoall_pairwise,
                                        .price = alltoall_pairwise_price};

}  // namespace peal::algorithms
