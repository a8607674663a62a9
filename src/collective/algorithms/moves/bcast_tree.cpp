// Broadcast along a k-nomial tree: a rank, counted from the root, with its lowest non-zero digit
// (base k) at place i has its parent where that digit is 0, and its children at the lower places.
// The farthest subtree is the tallest, so it is served first.
#include "collective/algorithms.hpp"
#include "collective/algorithms/tree.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

void bcast_tree(const problem& p, schedule& s) {
  const tree t{p.from_root(p.rank), p.size, p.radix};
  if (!t.is_root()) {
    s.receive(p.real(t.parent()), p.output());
    s.end_round();
  }
  t.tallest_first([&](int child, int) { s.send(p.real(child), p.output()); });
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::bcast,
    .name = "tree",
    .build = bcast_tree,
    .price = [](const pricing& t) { t.sum.tree(t.bytes, t.radix, false); },
    .segmentable = true,
    .by_radix = true};

}  // namespace peal::algorithms
