// collective/choice/cost.hpp
// What a collective takes with an algorithm, by a formula each: rounds of messages, copies and
// reductions on the way that decides the time, and the work of all ranks of a node for the cores
// that they share. Cheap (some hundred nanoseconds), so that it can be asked whenever a plan is
// made; peal-sim plays the same schedules message by message instead.
//
// Only + - * / and comparisons of doubles, no function of the mathematical library, which may round
// differently on another processor: the same input gives the same price on every rank.
//
// Layer    collective: may include base/.
// Units    nanoseconds, bytes.
// Threads  pure functions.
#pragma once

#include <limits>
#include <optional>

#include "collective/algorithms.hpp"
#include "collective/choice/cost_parameters.hpp"
#include "collective/problem.hpp"

namespace peal {

/// How the ranks of a team lie on nodes; the same on every rank. Ranks of a node are taken to be
/// neighbours.
struct spread {
  int ranks_per_node = std::numeric_limits<int>::max();  // at most; no limit: one node
  // Of a node, for the job; no limit: each rank has its own.
  int cores = std::numeric_limits<int>::max();

  friend bool operator==(const spread&, const spread&) = default;
};

/// What the algorithm takes: it looks at size, bytes and radix of the problem, whose blocks are all
/// alike. Never less for more bytes, but where an algorithm itself goes another way for them
/// (most_swapped_share).
/// Nothing where there is no formula.
std::optional<double> price(const algorithm&, const problem&, segmentation, const spread&,
                            const cost_parameters&) noexcept;

}  // namespace peal
