// Gather of equal blocks along a k-nomial tree. A rank's subtree covers the ranks above it, counted
// from the root, so what it collects lies in one piece in scratch; at the root each piece goes to
// its place at once, the one that wraps around the last rank as two messages.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/algorithms/tree.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void gather_tree(const problem& p, schedule& s) {
  const tree t{p.from_root(p.rank), p.size, p.radix};
  const auto where = [&](int first, int count) {
    const auto n = static_cast<std::size_t>(count) * p.bytes;
    if (t.is_root())
      return slice{place::receive, static_cast<std::size_t>(p.real(first)) * p.bytes, n};
    return slice{place::scratch, static_cast<std::size_t>(first - t.me) * p.bytes, n};
  };
  const slice own{place::send, 0, p.bytes};
  t.nearest_first([&](int child, int covered) {
    in_rank_order(p, child, covered,
                  [&](int first, int count) { s.receive(p.real(child), where(first, count)); });
  });
  const bool leaf = !t.is_root() && t.covered() == 1;
  if (t.is_root() ? !p.in_place : !leaf) s.copy(own, where(t.me, 1));
  s.end_round();
  if (t.is_root()) return;
  const int parent = p.real(t.parent());
  if (leaf) {
    s.send(parent, own);
  } else {
    s.need_scratch(static_cast<std::size_t>(t.covered()) * p.bytes);
    in_rank_order(p, t.me, t.covered(),
                  [&](int first, int count) { s.send(parent, where(first, count)); });
  }
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::gather,
    .name = "tree",
    .build = gather_tree,
    .price = [](const pricing& t) { pieces::block_tree(t, true); },
    .equal_blocks = true,
    .by_radix = true};

}  // namespace peal::algorithms
