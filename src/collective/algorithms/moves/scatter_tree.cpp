// Scatter of equal blocks along a k-nomial tree: gather_tree backwards. The root sends each subtree
// its blocks straight from their places, the piece that wraps around the last rank as two messages;
// inner ranks pass pieces on from scratch.
#include "collective/algorithms.hpp"
#include "collective/algorithms/pieces.hpp"
#include "collective/algorithms/tree.hpp"
#include "collective/record.hpp"

namespace peal::algorithms {

static void scatter_tree(const problem& p, schedule& s) {
  const tree t{p.from_root(p.rank), p.size, p.radix};
  const bool leaf = !t.is_root() && t.covered() == 1;
  const auto where = [&](int first, int count) {
    const auto n = static_cast<std::size_t>(count) * p.bytes;
    if (t.is_root())
      return slice{place::send, static_cast<std::size_t>(p.real(first)) * p.bytes, n};
    if (leaf) return slice{place::receive, 0, n};
    return slice{place::scratch, static_cast<std::size_t>(first - t.me) * p.bytes, n};
  };
  if (!t.is_root()) {
    const int parent = p.real(t.parent());
    in_rank_order(p, t.me, t.covered(),
                  [&](int first, int count) { s.receive(parent, where(first, count)); });
    if (!leaf) s.need_scratch(static_cast<std::size_t>(t.covered()) * p.bytes);
    s.end_round();
  }
  t.tallest_first([&](int child, int covered) {
    in_rank_order(p, child, covered,
                  [&](int first, int count) { s.send(p.real(child), where(first, count)); });
  });
  if (t.is_root() ? !p.in_place : !leaf) s.copy(where(t.me, 1), {place::receive, 0, p.bytes});
  s.end_round();
}

template <>
constexpr algorithm record<__COUNTER__>{
    .kind = detail::collective::scatter,
    .name = "tree",
    .build = scatter_tree,
    .price = [](const pricing& t) { pieces::block_tree(t, false); },
    .equal_blocks = true,
    .by_radix = true};

}  // namespace peal::algorithms
