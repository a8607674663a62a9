// mpi/topologies/topology.hpp
// The topology of a communicator.
//
// Layer    mpi/topologies: may include mpi/communicators.
// Units    ranks of the communicator.
// Threads  any: a topology never changes.
// Errors   a failure: MPI_ERR_TOPOLOGY where a communicator has another topology, or none.
// Source   MPI 5.0, 8.5 and 8.6 (the order of neighbours).
#pragma once

#include <mpi.h>

#include <utility>
#include <variant>

#include "mpi/communicators/communicator.hpp"
#include "mpi/topologies/cartesian.hpp"
#include "mpi/topologies/distributed_graph.hpp"
#include "mpi/topologies/graph.hpp"

namespace peal::mpi {

struct topology {
  std::variant<cartesian, graph, distributed_graph> shape;
  /// Whether there are collectives between neighbours.
  bool has_neighbors = true;

  explicit topology(cartesian of) : shape{std::move(of)} {}
  explicit topology(graph of);
  explicit topology(distributed_graph of) : shape{std::move(of)} {}

  /// MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH.
  [[nodiscard]] int kind() const noexcept;
};

[[nodiscard]] const cartesian& cartesian_of(MPI_Comm comm);
[[nodiscard]] const graph& graph_of(MPI_Comm comm);
[[nodiscard]] const distributed_graph& distributed_graph_of(MPI_Comm comm);
/// Fails unless the communicator has collectives between neighbours. Then peal knows them, too.
void need_neighbors(const communicator& of);

/// Whom a rank exchanges blocks with, in the order of the blocks.
[[nodiscard]] detail::neighborhood neighborhood_of(const topology& in, int rank);

}  // namespace peal::mpi
