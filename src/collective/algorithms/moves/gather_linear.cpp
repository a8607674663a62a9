// Gather in one round: every rank sends its block to the root, which takes each where it belongs.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void gather_linear(const problem& p, schedule& s) {
  if (p.rank != p.root) {
    s.send(p.root, {place::send, 0, p.bytes});
  } else {
    for (int k = 1; k < p.size; ++k) {
      const int from = p.wrapped(p.rank + k);
      s.receive(from, p.receive.of(place::receive, from));
    }
    if (!p.in_place) s.copy({place::send, 0, p.bytes}, p.receive.of(place::receive, p.rank));
  }
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::gather,
                                        .name = "linear",
                                        .build = gather_linear,
                                        .price = [](const pricing& t) { pieces::linear(t, true); },
                                        .all_at_once = true};

}  // namespace peal::algorithms
