// The formulas, one an algorithm. They follow the files in algorithms/ round by round, for the rank that ends last.
#include "collective/cost.hpp"

#include <algorithm>
#include <array>

#include "collective/cost_by_node.hpp"
#include "collective/cost_sum.hpp"

namespace peal {

namespace {

using detail::collective;

/// A call of which the formulas add up the price: of an uncut vector, or of one segment.
struct pricing {
  int ranks;
  int radix;
  double bytes;
  cost_sum& sum;

  [[nodiscard]] double share() const noexcept { return bytes / ranks; }
  [[nodiscard]] bool folds() const noexcept { return floor_power(ranks) != ranks; }
};

// ---- pieces that several algorithms have

/// Ranks beyond a power of two hand their vectors to neighbours.
void fold(const pricing& t) {
  if (!t.folds()) return;
  t.sum.fan(t.bytes, 1, 1);
  t.sum.work(t.bytes, 0.5);
  t.sum.join(t.bytes, 1, 0.5);
}

void unfold(const pricing& t) {
  if (!t.folds()) return;
  t.sum.fan(t.bytes, 1, 1);
  t.sum.work(t.bytes, 0.5);
}

void halve(const pricing& t) {
  double half = t.bytes;
  for (int distance = 1; distance < floor_power(t.ranks); distance *= 2) {
    half /= 2;
    t.sum.exchange(half, distance);
    t.sum.join(half);
  }
}

/// visit(distance, children): the levels of a tree, of the rank that has most children in each.
template <class Visit>
void for_each_level(const pricing& t, Visit visit) {
  for (int distance = 1; distance < t.ranks; distance *= t.radix) {
    visit(distance, std::min(t.radix - 1, (t.ranks - 1) / distance));
    if (distance > t.ranks / t.radix) break;  // the next one might not fit into a number
  }
}

void tree(const pricing& t, bool joins) {
  t.sum.tree(t.bytes, t.radix, joins);
  t.sum.work(t.bytes, static_cast<double>(t.ranks - 1) / t.ranks);
  if (joins) t.sum.join(t.bytes, 0, static_cast<double>(t.ranks - 1) / t.ranks);
}

void block_tree(const pricing& t) {
  for_each_level(t, [&](int distance, int children) {
    const double blocks = std::min(distance, t.ranks - distance);
    t.sum.fan(t.bytes * blocks, children, distance);
    t.sum.work(t.bytes * blocks, static_cast<double>(children) / distance / t.radix);
  });
}

void linear(const pricing& t) {
  t.sum.star(t.bytes);
  t.sum.work(t.bytes, static_cast<double>(t.ranks - 1) / t.ranks);
}

/// A pipeline: what every rank but the ends does with each segment is to take it and to pass it on.
void chain(const pricing& t, double segments, bool joins) {
  const int nodes = t.sum.nodes();
  const double apart = nodes - 1, near = t.ranks - nodes;
  if (t.ranks == 2) {
    t.sum.fan(t.bytes, 1, 1, segments);
    t.sum.work(t.bytes, segments / 2);
  } else if (nodes > 1) {
    t.sum.ring(t.bytes, apart + segments - 1);
    if (near > 0) t.sum.exchange(t.bytes, 1, near);
  } else {
    t.sum.ring(t.bytes, near + segments - 1);
  }
  if (joins) t.sum.join(t.bytes, t.ranks - 2 + segments, segments);
}

// ---- the algorithms

void dissemination(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2) t.sum.exchange(0, distance);
}

void bcast_scatter_allgather(const pricing& t) {
  double part = t.bytes;
  for (int distance = floor_power(t.ranks - 1); distance >= 1; distance /= 2) {
    part /= 2;
    t.sum.fan(part, 1, distance);
  }
  t.sum.work(t.bytes / 2, 1);
  t.sum.ring(t.share(), t.ranks - 1);
}

void reduce_scatter_gather(const pricing& t) {
  fold(t);
  halve(t);
  double part = t.bytes / floor_power(t.ranks);
  for (int distance = floor_power(t.ranks) / 2; distance >= 1; distance /= 2, part *= 2) {
    t.sum.fan(part, 1, distance);
    t.sum.work(part, 0.5);
  }
  unfold(t);
}

void allreduce_flat(const pricing& t) {
  t.sum.all_to_all(t.bytes);
  t.sum.join(t.bytes, t.ranks - 1);
}

void allreduce_doubling(const pricing& t) {
  fold(t);
  for (int distance = 1; distance < floor_power(t.ranks); distance *= 2) {
    t.sum.exchange(t.bytes, distance);
    t.sum.join(t.bytes);
  }
  unfold(t);
}

void allreduce_rabenseifner(const pricing& t) {
  fold(t);
  halve(t);
  double part = t.bytes / floor_power(t.ranks);
  for (int distance = floor_power(t.ranks) / 2; distance >= 1; distance /= 2, part *= 2) t.sum.exchange(part, distance);
  unfold(t);
}

void allreduce_ring(const pricing& t) {
  t.sum.ring(t.share(), 2.0 * (t.ranks - 1));
  t.sum.join(t.share(), t.ranks - 1);
}

void allgather_flat(const pricing& t) {
  t.sum.all_to_all(t.bytes);
  t.sum.copy(t.bytes);
}

void allgather_bruck(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2) t.sum.exchange(t.bytes * std::min(distance, t.ranks - distance), distance);
  t.sum.copy(t.bytes, t.ranks + 1);
}

void allgather_doubling(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2) t.sum.exchange(t.bytes * distance, distance);
  t.sum.copy(t.bytes);
}

void allgather_ring(const pricing& t) {
  t.sum.ring(t.bytes, t.ranks - 1);
  t.sum.copy(t.bytes);
}

void alltoall_bruck(const pricing& t) {
  const int half = t.ranks / 2;
  for (int distance = 1; distance < t.ranks; distance *= 2) {
    t.sum.exchange(t.bytes * half, distance);
    t.sum.copy(t.bytes, 2.0 * half);
  }
  t.sum.copy(t.bytes, 2.0 * t.ranks);
}

void alltoall_pairwise(const pricing& t) {
  t.sum.pairwise(t.bytes);
  t.sum.copy(t.bytes);
}

void reduce_scatter_flat(const pricing& t) {
  t.sum.all_to_all(t.share());
  t.sum.join(t.share(), t.ranks - 1);
}

void reduce_scatter_halving(const pricing& t) {
  fold(t);
  halve(t);
  t.sum.exchange(t.share(), floor_power(t.ranks) / 2);
}

void reduce_scatter_pairwise(const pricing& t) {
  t.sum.pairwise(t.share());
  t.sum.join(t.share(), t.ranks - 1);
}

void reduce_scatter_ring(const pricing& t) {
  t.sum.ring(t.share(), t.ranks - 1);
  t.sum.join(t.share(), t.ranks - 1);
}

void scan_flat(const pricing& t) {
  t.sum.star(t.bytes);
  t.sum.work(t.bytes, (t.ranks - 1) / 2.0);
  t.sum.join(t.bytes, t.ranks - 1, (t.ranks - 1) / 2.0);
}

void scan_doubling(const pricing& t) {
  for (int distance = 1; distance < t.ranks; distance *= 2) {
    t.sum.exchange(t.bytes, distance);
    t.sum.join(t.bytes);
  }
}

struct formula {
  collective kind;
  std::string_view name;
  void (*add)(const pricing&);
};

constexpr std::array formulas{
    formula{collective::barrier, "dissemination", dissemination},
    formula{collective::barrier, "flat", [](const pricing& t) { t.sum.all_to_all(0); }},
    formula{collective::bcast, "tree", [](const pricing& t) { tree(t, false); }},
    formula{collective::bcast, "scatter_allgather", bcast_scatter_allgather},
    formula{collective::reduce, "tree", [](const pricing& t) { tree(t, true); }},
    formula{collective::reduce, "scatter_gather", reduce_scatter_gather},
    formula{collective::allreduce, "flat", allreduce_flat},
    formula{collective::allreduce, "doubling", allreduce_doubling},
    formula{collective::allreduce, "rabenseifner", allreduce_rabenseifner},
    formula{collective::allreduce, "ring", allreduce_ring},
    formula{collective::gather, "tree", block_tree},
    formula{collective::gather, "linear", linear},
    formula{collective::scatter, "tree", block_tree},
    formula{collective::scatter, "linear", linear},
    formula{collective::allgather, "flat", allgather_flat},
    formula{collective::allgather, "bruck", allgather_bruck},
    formula{collective::allgather, "doubling", allgather_doubling},
    formula{collective::allgather, "ring", allgather_ring},
    formula{collective::alltoall, "linear", allgather_flat},  // the same messages
    formula{collective::alltoall, "bruck", alltoall_bruck},
    formula{collective::alltoall, "pairwise", alltoall_pairwise},
    formula{collective::reduce_scatter, "flat", reduce_scatter_flat},
    formula{collective::reduce_scatter, "halving", reduce_scatter_halving},
    formula{collective::reduce_scatter, "pairwise", reduce_scatter_pairwise},
    formula{collective::reduce_scatter, "ring", reduce_scatter_ring},
    formula{collective::scan, "flat", scan_flat},
    formula{collective::scan, "doubling", scan_doubling},
    formula{collective::exscan, "flat", scan_flat},
    formula{collective::exscan, "doubling", scan_doubling},
};

struct formula_by_node {
  collective kind;
  std::string_view name;
  void (*add)(const by_node::pricing&) noexcept;
};

constexpr std::array formulas_by_node{
    formula_by_node{collective::barrier, "leaders", by_node::barrier_leaders},
    formula_by_node{collective::bcast, "leaders", by_node::bcast_leaders},
    formula_by_node{collective::bcast, "shares", by_node::bcast_shares},
    formula_by_node{collective::reduce, "leaders", by_node::reduce_leaders},
    formula_by_node{collective::reduce, "shares", by_node::reduce_shares},
    formula_by_node{collective::allreduce, "leaders", by_node::allreduce_leaders},
    formula_by_node{collective::allreduce, "shares", by_node::allreduce_shares},
    formula_by_node{collective::allgather, "leaders", by_node::allgather_leaders},
};

template <class Table>
auto formula_of(const Table& table, const algorithm& how) noexcept {
  return std::ranges::find_if(table, [&](const auto& f) { return f.kind == how.kind && f.name == how.name; });
}

}  // namespace

std::optional<double> price(const algorithm& how, const problem& p, segmentation cut, const spread& where,
                            const cost_parameters& costs) noexcept {
  if (p.size < 2) return 0.0;
  const double bytes = static_cast<double>(how.kind == collective::barrier ? 0 : p.bytes);
  const double segment = static_cast<double>(cut.bytes);
  const bool cuts = how.segmentable && cut.bytes != 0 && p.bytes > cut.bytes;
  const double whole = cuts ? static_cast<double>(p.bytes / cut.bytes) : 0;  // segments
  const double rest = cuts ? static_cast<double>(p.bytes % cut.bytes) : bytes;
  const auto part = [&](double length, auto add) {
    cost_sum sum{p.size, where, costs};
    add(pricing{p.size, std::max(p.radix, 2), length, sum});
    return sum.total();
  };
  if (how.name == "chain") {
    const double segments = cuts ? whole + (rest > 0 ? 1 : 0) : 1;
    return part(cuts ? segment : bytes, [&](const pricing& t) { chain(t, segments, how.kind != collective::bcast); });
  }
  const auto in_parts = [&](auto add) { return whole * (cuts ? part(segment, add) : 0) + (cuts && rest == 0 ? 0 : part(rest, add)); };
  if (how.by_node) {
    const auto found = formula_of(formulas_by_node, how);
    if (found == formulas_by_node.end()) return std::nullopt;
    return in_parts([&](const pricing& t) { found->add({t.radix, t.bytes, t.sum}); });
  }
  const auto found = formula_of(formulas, how);
  if (found == formulas.end()) return std::nullopt;
  return in_parts(found->add);
}

}  // namespace peal
