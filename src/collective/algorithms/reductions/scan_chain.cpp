// Scan along a chain: a rank joins what comes from the rank below with its own vector and passes
// the result on. Every rank sends, receives and joins one vector; cut into segments it is a
// pipeline.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void scan_chain(const problem& p, schedule& s) {
  const bool last = p.rank + 1 == p.size;
  if (p.rank == 0) {
    s.copy(p.input(), p.output());
    if (!last) s.send(1, p.input());
  } else {
    const slice incoming{place::scratch, 0, p.bytes};
    s.need_scratch(p.bytes);
    s.receive(p.rank - 1, incoming);
    s.reduce(incoming, p.input(), p.output(), last);
    s.end_round();
    if (!last) s.send(p.rank + 1, p.output());
  }
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::scan,
    .name = "chain",
    .build = scan_chain,
    .price = [](const pricing& t) { pieces::chain(t, t.ranks - 1); },
    .segmentable = true,
    .priced_whole = true,
    .gives = algorithm::bits::same};

}  // namespace peal::algorithms
