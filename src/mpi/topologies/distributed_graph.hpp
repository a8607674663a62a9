// mpi/topologies/distributed_graph.hpp
// What a rank knows of a graph of which every rank knows its own edges alone.
//
// Layer    mpi/topologies.
// Units    ranks of the communicator of the graph.
// Threads  values.
// Errors   what peal/detail/core.hpp says of collectives.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "peal/detail/core.hpp"

namespace peal::mpi {

struct distributed_graph {
  std::vector<int> sources;
  std::vector<int> source_weights;  // as many, if weighted; else none
  std::vector<int> destinations;
  std::vector<int> destination_weights;
  bool weighted = false;
};

struct edge {
  int from;
  int to;
  int weight;
};

/// Collective: each rank gives edges, of any ranks, and gets its own. Those that leave it, and
/// those that end at it, come in the order of the ranks that give them, and in that in which these
/// give them; so both ends see several edges of a pair in one order. Requires: the ends are ranks.
[[nodiscard]] distributed_graph share_out(detail::communicator_state& among,
                                          std::span<const edge> known, bool weighted);

}  // namespace peal::mpi
