// Reduce-scatter in one round: every rank sends every other one its part of that rank's block and
// joins what comes by pairs. For small vectors: size² messages, but no rank waits for what another
// must compute first.
#include "collective/algorithms.hpp"
#include "collective/algorithms/reductions/joined_scratch.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void reduce_scatter_flat(const problem& p, schedule& s) {
  const slice result = p.own_part();
  const auto slot = [&](int rank) {
    return slice{place::scratch, static_cast<std::size_t>(rank) * result.bytes, result.bytes};
  };
  // In place this rank's own part may lie across the goal of the result, so it moves away.
  const bool moves = p.in_place && p.size > 1;
  const auto part_of = [&](int rank) {
    return rank == p.rank && !moves ? p.part_for(rank) : slot(rank);
  };
  for (int k = 1; k < p.size; ++k) s.send(p.wrapped(p.rank + k), p.part_for(p.wrapped(p.rank + k)));
  for (int k = 1; k < p.size; ++k) s.receive(p.wrapped(p.rank - k), slot(p.wrapped(p.rank - k)));
  if (p.size > 1) s.need_scratch(static_cast<std::size_t>(p.size) * result.bytes);
  if (moves) s.copy(p.part_for(p.rank), slot(p.rank));
  join_scratch_by_pairs(s, p.size, part_of, result);
  s.end_round();
}

static void reduce_scatter_flat_price(const pricing& t) {
  t.sum.all_to_all(t.share());
  t.sum.join(t.share(), t.ranks - 1);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::reduce_scatter,
                                        .name = "flat",
                                        .build = reduce_scatter_flat,
                                        .price = reduce_scatter_flat_price,
                                        .all_at_once = true,
                                        .gives = algorithm::bits::same};

}  // namespace peal::algorithms
