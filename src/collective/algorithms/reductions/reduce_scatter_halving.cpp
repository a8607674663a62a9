// Reduce-scatter by recursive halving. Halving begins with neighbours, so that rank order holds,
// and a rank then holds the part whose number is its own with the bits in reverse: one more round
// takes the parts to their owners. A part is what belongs to a rank that stays and to the rank that
// handed it its vector; the latter gets its block at the end, from the rank that holds it.
//
// Source   Rabenseifner: Optimization of collective reduction operations (2004).
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/algorithms/reductions/halving.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

namespace {

// The vector in parts, one for each rank that stays.
struct folded_parts {
  const problem& call;
  const folding& fold;

  // The first rank whose block belongs to part `i`; of the end: the number of ranks.
  [[nodiscard]] int first_rank(int i) const noexcept {
    return i < fold.extra ? 2 * i : i + fold.extra;
  }
  [[nodiscard]] std::size_t offset(int i) const noexcept {
    const int rank = first_rank(i);
    return rank == call.size ? call.bytes : call.send.offset(rank);
  }
  [[nodiscard]] slice range(place where, int first, int last, std::size_t base) const noexcept {
    return {where, base + offset(first), offset(last) - offset(first)};
  }
};

int reversed(int number, int power) noexcept {
  int made = 0;
  for (int bit = 1; bit < power; bit *= 2) {
    made = 2 * made + (number & 1);
    number /= 2;
  }
  return made;
}

}  // namespace

static void reduce_scatter_halving(const problem& p, schedule& s) {
  const folding fold{p.size};
  const auto holder_of = [&](int part) { return fold.real(reversed(part, fold.power)); };
  if (fold.gives(p.rank)) {
    s.send(p.rank + 1, p.input());
    s.end_round();
    s.receive(holder_of(fold.folded(p.rank + 1)), p.own_part());
    s.end_round();
    return;
  }
  // Behind room for what comes in.
  const slice sums{place::scratch, p.bytes, p.bytes};
  if (p.size > 1) s.need_scratch(2 * p.bytes);
  slice vector = p.input();
  if (fold.takes(p.rank)) {
    const slice incoming{place::scratch, 0, p.bytes};
    s.receive(p.rank - 1, incoming);
    s.reduce(incoming, vector, sums);
    s.end_round();
    vector = sums;
  }
  const folded_parts parts{p, fold};
  halving halves{fold, p.rank};
  vector = halves.join(s, parts, vector, sums);

  const int held = halves.kept().first;
  for (int owner = parts.first_rank(held); owner < parts.first_rank(held + 1); ++owner) {
    slice block = p.send.of(vector.buffer, owner);
    block.offset += vector.offset;
    if (owner == p.rank) s.copy(block, p.own_part());
    else s.send(owner, block);
  }
  const int holder = holder_of(fold.folded(p.rank));
  if (holder != p.rank) s.receive(holder, p.own_part());
  s.end_round();
}

static void reduce_scatter_halving_price(const pricing& t) {
  pieces::fold(t);
  pieces::halve(t);
  t.sum.swap(t.share(), floor_power(t.ranks) / 2);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::reduce_scatter,
                                        .name = "halving",
                                        .build = reduce_scatter_halving,
                                        .price = reduce_scatter_halving_price,
                                        .gives = algorithm::bits::same};

}  // namespace peal::algorithms
