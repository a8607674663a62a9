// Exclusive scan in one round: every rank sends its vector to all ranks above it and joins those of
// the ranks below. For small vectors.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void exscan_flat(const problem& p, schedule& s) {
  const auto vector_of = [&](int rank) {
    return slice{place::scratch, static_cast<std::size_t>(rank) * p.bytes, p.bytes};
  };
  for (int to = p.rank + 1; to < p.size; ++to) s.send(to, p.input());
  for (int from = p.rank - 1; from >= 0; --from) s.receive(from, vector_of(from));
  s.need_scratch(static_cast<std::size_t>(p.rank) * p.bytes);
  slice sum = vector_of(0);
  for (int rank = 1; rank < p.rank; ++rank) {
    const slice into = rank + 1 == p.rank ? p.output() : vector_of(rank);
    s.reduce(sum, vector_of(rank), into);
    sum = into;
  }
  if (p.rank > 0) s.copy(sum, p.output());  // rank 1
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::exscan,
    .name = "flat",
    .build = exscan_flat,
    .price = [](const pricing& t) { pieces::prefix_flat(t, true); },
    .segmentable = true,
    .all_at_once = true,
    .gives = algorithm::bits::same};

}  // namespace peal::algorithms
