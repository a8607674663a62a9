// Reduction along a k-nomial tree. Each rank takes its children's results at once and joins them in
// rank order; the subtree of a child covers the ranks just above those joined so far. Counted from
// the root that is rank order only for root 0, so an operation that does not commute goes to rank
// 0, which hands the result on.
//
// A binary tree of a power of two of ranks keeps rank order for any root, since its ranks are
// counted as those that differ from the root in some bits: a child's subtree covers the ranks just
// above those joined so far, or just below.
#include "collective/algorithms.hpp"
#include "collective/algorithms/tree.hpp"
#include "collective/choice/cost_sum.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

void reduce_tree(const problem& p, schedule& s) {
  const bool by_bits = p.radix == 2 && floor_power(p.size) == p.size;
  const int top = by_bits || p.commutative ? p.root : 0;
  const tree t{by_bits ? p.rank ^ top : p.wrapped(p.rank - top), p.size, p.radix};
  const auto real = [&](int relative) {
    return by_bits ? relative ^ top : p.wrapped(relative + top);
  };

  const bool keeps = p.rank == p.root && p.rank == top;  // the result belongs to this rank
  const slice sum = keeps ? p.output() : slice{place::scratch, 0, p.bytes};
  const auto from_child = [&](int k) {
    return slice{place::scratch, static_cast<std::size_t>(k + 1) * p.bytes, p.bytes};
  };
  int children = 0;
  t.nearest_first([&](int child, int) { s.receive(real(child), from_child(children++)); });
  s.need_scratch(static_cast<std::size_t>(children + 1) * p.bytes);
  slice current = p.input();
  int joined = 0;
  t.nearest_first([&](int child, int) {
    const slice next = from_child(joined++);
    if (by_bits && real(child) < p.rank) s.reduce(next, current, sum);
    else s.reduce(current, next, sum);
    current = sum;
  });
  if (keeps) s.copy(current, sum);  // a single rank
  s.end_round();

  if (!t.is_root()) s.send(real(t.parent()), current);
  else if (!keeps) s.send(p.root, current);
  s.end_round();  // in place, the root sends from where the result will come
  if (p.rank == p.root && !keeps) s.receive(top, p.output());
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::reduce,
    .name = "tree",
    .build = reduce_tree,
    .price = [](const pricing& t) { t.sum.tree(t.bytes, t.radix, true); },
    .segmentable = true,
    .by_radix = true,
    .gives = algorithm::bits::same_of_two};

}  // namespace peal::algorithms
