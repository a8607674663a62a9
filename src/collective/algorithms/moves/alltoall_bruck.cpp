// Alltoall of short equal blocks in ceil(log2 size) rounds: a block that must travel d ranks up
// moves by the powers of two in d, together with all others that move by the same power. Each block
// is sent about log2(size) / 2 times.
//
// Source   Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications
//          in multiport systems (1997).
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void alltoall_bruck(const problem& p, schedule& s) {
  const std::size_t n = p.in_place ? p.receive.equal : p.send.equal;
  const place source = p.in_place ? place::receive : place::send;
  // Scratch: `size` blocks, the one at d being d ranks short of its goal; then room to pack and
  // room to receive half of them.
  const auto travelling = [&](int d) {
    return slice{place::scratch, static_cast<std::size_t>(d) * n, n};
  };
  const std::size_t pack = static_cast<std::size_t>(p.size) * n;
  const std::size_t unpack = pack + static_cast<std::size_t>((p.size + 1) / 2) * n;
  const auto block = [&](place where, int rank) {
    return slice{where, static_cast<std::size_t>(rank) * n, n};
  };
  s.need_scratch(unpack + static_cast<std::size_t>((p.size + 1) / 2) * n);
  if (!p.in_place) s.copy(block(source, p.rank), block(place::receive, p.rank));
  for (int d = 1; d < p.size; ++d) s.copy(block(source, p.wrapped(p.rank + d)), travelling(d));
  for (int bit = 1; bit < p.size; bit *= 2) {
    std::size_t packed = 0;
    for (int d = bit; d < p.size; ++d)
      if (d & bit) {
        s.copy(travelling(d), {place::scratch, pack + packed, n});
        packed += n;
      }
    s.end_round();
    s.send(p.wrapped(p.rank + bit), {place::scratch, pack, packed});
    s.receive(p.wrapped(p.rank - bit), {place::scratch, unpack, packed});
    std::size_t taken = 0;
    for (int d = bit; d < p.size; ++d)
      if (d & bit) {
        s.copy({place::scratch, unpack + taken, n}, travelling(d));
        taken += n;
      }
  }
  s.end_round();
  // The block at d came from d ranks below.
  for (int d = 1; d < p.size; ++d)
    s.copy(travelling(d), block(place::receive, p.wrapped(p.rank - d)));
  s.end_round();
}

static void alltoall_bruck_price(const pricing& t) {
  const int half = t.ranks / 2;
  for (int distance = 1; distance < t.ranks; distance *= 2) {
    t.sum.shift(t.bytes * half, distance);
    t.sum.copy(t.bytes, 2.0 * half);
  }
  t.sum.copy(t.bytes, 2.0 * t.ranks);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::alltoall,
                                        .name = "bruck",
                                        .build = alltoall_bruck,
                                        .price = alltoall_bruck_price,
                                        .equal_blocks = true};

}  // namespace peal::algorithms
