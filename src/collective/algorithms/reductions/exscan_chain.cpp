// Exclusive scan along a chain: what comes from the rank below is the result; joined with this
// rank's own vector it goes on to the rank above. Cut into segments it is a pipeline.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void exscan_chain(const problem& p, schedule& s) {
  const bool last = p.rank + 1 == p.size;
  if (p.rank == 0) {
    if (!last) s.send(1, p.input());
  } else if (last) {
    s.receive(p.rank - 1, p.output());
  } else {
    const slice sum{place::scratch, 0, p.bytes};
    // In place the goal of the result still holds this rank's own vector.
    const slice came = p.in_place ? slice{place::scratch, p.bytes, p.bytes} : p.output();
    s.need_scratch((p.in_place ? 2 : 1) * p.bytes);
    s.receive(p.rank - 1, came);
    s.reduce(came, p.input(), sum);
    s.copy(came, p.output());
    s.end_round();
    s.send(p.rank + 1, sum);
  }
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::exscan,
    .name = "chain",
    .build = exscan_chain,
    .price = [](const pricing& t) { pieces::chain(t, t.ranks - 2); },
    .segmentable = true,
    .priced_whole = true,
    .gives = algorithm::bits::same};

}  // namespace peal::algorithms
