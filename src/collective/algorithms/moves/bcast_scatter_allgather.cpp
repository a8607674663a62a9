// Broadcast of a long vector: the root scatters it along a binomial tree, then every rank gathers
// the parts around a ring. Each rank sends and receives about two vectors in all, where a tree lets
// the root send log2(size) of them.
//
// Source   van de Geijn: On global combine operations (1994); Thakur, Rabenseifner, Gropp:
//          Optimization of collective communication operations in MPICH (2005).
#include "collective/algorithms.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

namespace {

// After the scatter a rank, counted from the root, holds the parts from its own number on, as many
// as its lowest bit says.
int count_held(int relative, int size) {
  return relative == 0 ? size : std::min(relative & -relative, size - relative);
}

}  // namespace

static void bcast_scatter_allgather(const problem& p, schedule& s) {
  const int me = p.from_root(p.rank);
  const partition parts{p.bytes, 1, p.size};
  const auto held = [&](int from, int count) {
    return parts.range(place::receive, from, from + count);
  };
  const int lowest = me == 0 ? 2 * floor_power(p.size) : me & -me;
  if (me != 0) {
    s.receive(p.real(me - lowest), held(me, count_held(me, p.size)));
    s.end_round();
  }
  for (int distance = lowest / 2; distance >= 1; distance /= 2)
    if (me + distance < p.size)
      s.send(p.real(me + distance), held(me + distance, count_held(me + distance, p.size)));
  s.end_round();
  // Around the ring, without what the receiver holds already.
  const int right = p.wrapped(me + 1);
  const auto has = [&](int relative, int part) {
    return part >= relative && part < relative + count_held(relative, p.size);
  };
  for (int k = 0; k + 1 < p.size; ++k) {
    const int out = p.wrapped(me - k);
    const int in = p.wrapped(me - k - 1);
    if (!has(right, out)) s.send(p.real(right), held(out, 1));
    if (!has(me, in)) s.receive(p.real(p.wrapped(me - 1)), held(in, 1));
    s.end_round();
  }
}

static void bcast_scatter_allgather_price(const pricing& t) {
  double part = t.bytes;
  for (int distance = floor_power(t.ranks - 1); distance >= 1; distance /= 2) {
    part /= 2;
    t.sum.fan(part, 1, distance, false);
  }
  t.sum.work(t.bytes / 2, 1);
  t.sum.ring(t.share(), t.ranks - 1);
}

template <>
constexpr algorithm record<__COUNTER__>{.kind = detail::collective::bcast,
                                        .name = "scatter_allgather",
                                        .build = bcast_scatter_allgather,
                                        .price = bcast_scatter_allgather_price,
                                        .segmentable = true};

}  // namespace peal::algorithms
