// Barrier by dissemination: in round k each rank tells the one 2^k above it and waits for the one
// 2^k below; after ceil(log2 size) rounds every rank has heard of every other one, directly or not.
//
// Source   Hensgen, Finkel, Manber: Two algorithms for barrier synchronization (1988).
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

void barrier_dissemination(const problem& p, schedule& s) {
  for (int distance = 1; distance < p.size; distance *= 2) {
    s.signal(p.wrapped(p.rank + distance));
    s.await(p.wrapped(p.rank - distance));
    s.end_round();
  }
}

static void barrier_dissemination_price(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2) t.sum.shift(0, distance);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::barrier,
                                        .name = "dissemination",
                                        .build = barrier_dissemination,
                                        .price = barrier_dissemination_price};

}  // namespace peal::algorithms
