// Broadcast along a chain: each rank receives from the one before it, counted from the root, and
// sends to the one after. Alone it is slow; cut into segments in several streams, every link is
// busy at once and each rank sends and receives each byte once.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void bcast_chain(const problem& p, schedule& s) {
  const int me = p.from_root(p.rank);
  if (me > 0) {
    s.receive(p.real(me - 1), p.output());
    s.end_round();
  }
  if (me + 1 < p.size) {
    s.send(p.real(me + 1), p.output());
    s.end_round();
  }
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::bcast,
                                        .name = "chain",
                                        .build = bcast_chain,
                                        .price = [](const pricing& t) { pieces::chain(t, 0); },
                                        .segmentable = true,
                                        .priced_whole = true};

}  // namespace peal::algorithms
