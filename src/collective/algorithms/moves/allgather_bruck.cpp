// Allgather in ceil(log2 size) rounds for any number of ranks: a rank keeps the blocks of the ranks
// from itself on, cyclically, and in each round takes as many again from the rank that far above.
// At the end the blocks are put in their places. For short blocks, since each is copied once more.
//
// Source   Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications
//          in multiport systems (1997).
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

void allgather_bruck(const problem& p, schedule& s) {
  const auto size_of = [&](int above) { return p.receive.bytes(p.wrapped(p.rank + above)); };
  const slice own =
      p.in_place ? p.receive.of(place::receive, p.rank) : slice{place::send, 0, p.bytes};
  s.copy(own, {place::scratch, 0, own.bytes});
  s.end_round();
  std::size_t held = own.bytes;  // bytes of the first `count` blocks
  for (int count = 1; count < p.size; count *= 2) {
    const int more = std::min(count, p.size - count);
    std::size_t outgoing = 0;
    std::size_t incoming = 0;
    for (int k = 0; k < more; ++k) {
      outgoing += size_of(k);
      incoming += size_of(count + k);
    }
    s.send(p.wrapped(p.rank - count), {place::scratch, 0, outgoing});
    s.receive(p.wrapped(p.rank + count), {place::scratch, held, incoming});
    s.end_round();
    held += incoming;
  }
  s.need_scratch(held);
  std::size_t offset = 0;
  for (int above = 0; above < p.size; ++above) {
    const slice target = p.receive.of(place::receive, p.wrapped(p.rank + above));
    if (above != 0 || !p.in_place) s.copy({place::scratch, offset, target.bytes}, target);
    offset += target.bytes;
  }
  s.end_round();
}

static void allgather_bruck_price(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2)
    t.sum.shift(t.bytes * std::min(distance, t.ranks - distance), distance);
  t.sum.copy(t.bytes, t.ranks + 1);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::allgather,
                                        .name = "bruck",
                                        .build = allgather_bruck,
                                        .price = allgather_bruck_price};

}  // namespace peal::algorithms
