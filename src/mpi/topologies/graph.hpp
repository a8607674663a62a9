// mpi/topologies/graph.hpp
// A graph of ranks that every rank knows as a whole, as MPI_Graph_create takes it.
//
// Layer    mpi/topologies.
// Units    ranks of the communicator of the graph, 0 to nodes() - 1.
// Threads  any: a graph never changes.
// Errors   a failure: MPI_ERR_ARG for arrays that are no graph, MPI_ERR_RANK.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

namespace peal::mpi {

class graph {
 public:
  /// `index`: of each node, how many neighbours it and those before it have together. `edges`: the
  /// neighbours, node by node. Requires: as many as the last index says, which is not negative.
  graph(std::span<const int> index, std::span<const int> edges);

  [[nodiscard]] int nodes() const noexcept { return static_cast<int>(index_.size()); }
  [[nodiscard]] const std::vector<int>& index() const noexcept { return index_; }
  [[nodiscard]] const std::vector<int>& edges() const noexcept { return edges_; }
  /// In the order in which they were given. Fails for what is no rank of the graph.
  [[nodiscard]] std::span<const int> neighbors(int rank) const;
  /// Whether each rank names another one as often as that names it, without which there are no
  /// collectives between neighbours.
  [[nodiscard]] bool is_symmetric() const;

 private:
  std::vector<int> index_;
  std::vector<int> edges_;
};

}  // namespace peal::mpi
