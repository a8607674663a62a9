// Allgather by recursive doubling, for a power of two of ranks and equal blocks: in round k each
// rank swaps all it has with the rank whose number differs in bit k. What a rank has is always one
// range of the result, so nothing is moved twice.
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void allgather_doubling(const problem& p, schedule& s) {
  const auto range = [&](int first, int count) {
    return slice{place::receive, static_cast<std::size_t>(first) * p.bytes,
                 static_cast<std::size_t>(count) * p.bytes};
  };
  const slice own = p.in_place ? range(p.rank, 1) : slice{place::send, 0, p.bytes};
  for (int bit = 1; bit < p.size; bit *= 2) {
    const int partner = p.rank ^ bit;
    s.send(partner, bit == 1 ? own : range(p.rank & ~(bit - 1), bit));
    s.receive(partner, range(partner & ~(bit - 1), bit));
    if (bit == 1) s.copy(own, range(p.rank, 1));
    s.end_round();
  }
  if (p.size == 1) s.copy(own, range(0, 1));
  s.end_round();
}

static void allgather_doubling_price(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2)
    t.sum.swap(t.bytes * distance, distance);
  t.sum.copy(t.bytes);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allgather,
                                        .name = "doubling",
                                        .build = allgather_doubling,
                                        .price = allgather_doubling_price,
                                        .equal_blocks = true,
                                        .power_of_two = true};

}  // namespace peal::algorithms
