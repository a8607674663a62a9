// Barrier in one round: every rank tells every other one. size² messages, but no rank waits for a
// message that another one must first receive, which is what costs when ranks outnumber cores: each
// link of a chain is a switch of processes there.
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void barrier_flat(const problem& p, schedule& s) {
  for (int k = 1; k < p.size; ++k) s.signal(p.wrapped(p.rank + k));
  for (int k = 1; k < p.size; ++k) s.await(p.wrapped(p.rank - k));
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::barrier,
                                        .name = "flat",
                                        .build = barrier_flat,
                                        .price = [](const pricing& t) { t.sum.all_to_all(0); },
                                        .all_at_once = true};

}  // namespace peal::algorithms
