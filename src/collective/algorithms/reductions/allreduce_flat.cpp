// Allreduce in one round: every rank sends its vector to every other one and joins all of them by
// pairs. size² messages, but no rank waits for what another must compute first: the choice
// for small vectors, and when ranks outnumber cores, where each link of a chain costs a switch of
// processes.
#include "collective/algorithms.hpp"
#include "collective/algorithms/reductions/joined_scratch.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void allreduce_flat(const problem& p, schedule& s) {
  for (int k = 1; k < p.size; ++k) s.send(p.wrapped(p.rank + k), p.input());
  const auto vector_of = [&](int rank) {
    return rank == p.rank
               ? p.input()
               : slice{place::scratch,
                       static_cast<std::size_t>(rank < p.rank ? rank : rank - 1) * p.bytes,
                       p.bytes};
  };
  for (int k = 1; k < p.size; ++k) {
    const int from = p.wrapped(p.rank - k);
    s.receive(from, vector_of(from));
  }
  s.need_scratch(static_cast<std::size_t>(p.size - 1) * p.bytes);
  join_scratch_by_pairs(s, p.size, vector_of, p.output());
  s.end_round();
}

static void allreduce_flat_price(const pricing& t) {
  t.sum.all_to_all(t.bytes);
  t.sum.join(t.bytes, t.ranks - 1);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allreduce,
                                        .name = "flat",
                                        .build = allreduce_flat,
                                        .price = allreduce_flat_price,
                                        .segmentable = true,
                                        .all_at_once = true,
                                        .gives = algorithm::bits::same};

}  // namespace peal::algorithms
