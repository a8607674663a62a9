// Allgather in one round: every rank sends its block to every other one, straight to its place.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void allgather_flat(const problem& p, schedule& s) {
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

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allgather,
                                        .name = "flat",
                                        .build = allgather_flat,
                                        .price = pieces::blocks_to_all,
                                        .all_at_once = true};

}  // namespace peal::algorithms
