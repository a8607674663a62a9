// Scatter in one round: the root sends each rank its block.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void scatter_linear(const problem& p, schedule& s) {
  if (p.rank != p.root) {
    s.receive(p.root, {place::receive, 0, p.bytes});
  } else {
    for (int k = 1; k < p.size; ++k) {
      const int to = p.wrapped(p.rank + k);
      s.send(to, p.send.of(place::send, to));
    }
    if (!p.in_place) s.copy(p.send.of(place::send, p.rank), {place::receive, 0, p.bytes});
  }
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::scatter,
                                        .name = "linear",
                                        .build = scatter_linear,
                                        .price = [](const pricing& t) { pieces::linear(t, false); },
                                        .all_at_once = true};

}  // namespace peal::algorithms
