#include "simulator/amount.hpp"

#include <algorithm>
#include <cmath>

namespace peal::simulator {

namespace {

using detail::collective;

/// What a rank does, for so many that are like it. Segments are taken to be alike, too.
void add(amount& sum, const question& q, int rank, double alike = 1) {
  const cutting cut = cutting_of(q);
  const auto segments = static_cast<double>(cut.count);
  problem p = make_problem(q, rank);
  p.bytes = cut.segment;
  schedule built;
  build(*q.how, p, {}, built);
  double steps = 0;
  for (const round& r : built.rounds()) {
    sum.messages += alike * segments * r.sends;
    steps += segments * (r.sends + r.receives + r.locals);
  }
  sum.steps += alike * steps;
  sum.longest = std::max(sum.longest, steps);
}

amount count_all(const question& q) {
  amount sum;
  for (int rank = 0; rank != q.ranks; ++rank) add(sum, q, rank);
  return sum;
}

amount count(question q, int ranks) {
  const auto all = static_cast<std::size_t>(q.ranks);
  const auto few = static_cast<std::size_t>(ranks);
  q.ranks = ranks;
  const bool vanishing = shared_out(q.how->kind) && q.bytes < all * q.element;
  // A vector that all ranks share has parts of the same length as with the ranks asked for.
  if (few < all && q.bytes % all == 0 && q.how->any_order && shared_out(q.how->kind))
    q.bytes = q.bytes / all * few;
  amount sum = count_all(q);
  // Parts that are empty leave no steps, but the algorithm has to come by.
  if (!vanishing) return sum;
  q.bytes = few * q.element;
  const amount passed = count_all(q);
  sum.steps = std::max(sum.steps, passed.steps);
  sum.longest = std::max(sum.longest, passed.longest);
  return sum;
}

/// Of an algorithm that goes by nodes: from the first two nodes, since the others do what the
/// second one does, and from some ranks of each, since all but the first are alike there.
amount estimate_by_node(const question& q) {
  amount sum;
  const int nodes = (q.ranks + q.ranks_per_node - 1) / q.ranks_per_node;
  for (const int node : {0, 1}) {
    const int first = node * q.ranks_per_node;
    const int others = std::min(q.ranks_per_node, q.ranks - first) - 1;
    const int looked_at = std::min(others, 63);
    const double nodes_alike = node == 0 ? 1 : nodes - 1;
    add(sum, q, first, nodes_alike);
    for (int k = 0; k != looked_at; ++k) {
      const auto index = 1 + static_cast<int>(std::int64_t{k} * others / looked_at);
      add(sum, q, first + index, nodes_alike * others / looked_at);
    }
  }
  return sum;
}

}  // namespace

cutting cutting_of(const question& q) {
  const problem p = make_problem(q, 0);
  const std::size_t segment = std::max(q.cut.bytes / p.element, std::size_t{1}) * p.element;
  if (!q.how->segmentable || q.cut.bytes == 0 || p.bytes <= segment) return {p.bytes, 1};
  return {segment, (p.bytes + segment - 1) / segment};
}

bool shared_out(collective kind) noexcept {
  return kind == collective::bcast || kind == collective::reduce || kind == collective::allreduce;
}

// From how it grows among few ranks.
amount estimate(const question& q) {
  if (q.how->by_node) return estimate_by_node(q);
  const bool power = floor_power(q.ranks) == q.ranks;
  const auto from = [&](int few, int more) {
    if (q.ranks <= more) return count(q, q.ranks);
    const amount a = count(q, power ? few : few - 1);
    const amount b = count(q, power ? more : more - 1);
    const double times = std::log2(static_cast<double>(q.ranks) / more);
    const auto grown = [&](double x, double y) { return x > 0 ? y * std::pow(y / x, times) : y; };
    return amount{grown(a.messages, b.messages), grown(a.steps, b.steps),
                  grown(a.longest, b.longest)};
  };
  const amount rough = from(64, 128);
  // What does not grow with the square can be looked at further out, where logarithms are flatter.
  const double ranks = q.ranks;
  return rough.steps < ranks * ranks / 16 ? from(512, 1024) : rough;
}

}  // namespace peal::simulator
