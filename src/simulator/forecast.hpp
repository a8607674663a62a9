// simulator/forecast.hpp
// What one collective takes with one algorithm on a machine, and how that was found out: by playing
// all ranks, or a few that stand for all, or not at all, and then why not.
//
// Layer    simulator: may include collective/, base/.
// Units    picoseconds, bytes.
#pragma once

#include <cstddef>
#include <string>

#include "collective/algorithms.hpp"
#include "simulator/machine.hpp"
#include "simulator/simulation.hpp"

namespace peal::simulator {

constexpr int most_ranks = 1 << 20;
constexpr std::size_t most_bytes = std::size_t{1} << 30;

struct question {
  const algorithm* how = nullptr;
  int ranks = 1;
  std::size_t bytes = 0;  // of a block; of bcast and reductions but reduce_scatter the whole vector
  std::size_t element = 4;
  int radix = 2;
  segmentation cut{};
  int ranks_per_node = 1;  // neighbours; the last node may have fewer
};

enum class method {
  // All ranks while that is little work; else some segments of a vector that is cut into many; else
  // those ranks that stand for all, if there are such; else all ranks while it can be done.
  automatic,
  full,     // all ranks
  classes,  // those that stand for all
  segments  // some segments; of the ranks all while that is little work, else as without segments
};

struct forecast {
  std::string refusal;  // why there is no forecast; empty: there is
  picoseconds time = 0;
  double rounds = 0;    // on the way that decides the time
  double messages = 0;  // of all ranks, as the next two
  double bytes = 0;
  double doorbells = 0;
  double misses = 0;
  int simulated = 0;  // ranks that were played
  // Of long stretches of rounds, or of segments, that are alike only the first were played.
  bool extrapolated = false;
  bool rounded = false;  // to a vector that all ranks can share out evenly
  bool uneven = false;   // the last leaf switch was taken to be full
};

/// The problem as `rank` sees it. Its node map is there until this is asked for another number of
/// ranks.
problem make_problem(const question&, int rank);

/// With the machine's ranks a node.
forecast predict(const machine&, question, method = method::automatic);

/// The radix and the cut that a call would have: those of the rules where they choose this
/// algorithm.
question ask(const algorithm&, int ranks, std::size_t bytes, std::size_t element,
             int ranks_per_node = 1);
/// What the rules choose for such a call.
const algorithm& usual(detail::collective, int ranks, std::size_t bytes, std::size_t element,
                       int ranks_per_node = 1);

}  // namespace peal::simulator
