// mpi/topologies/topology.hpp
// The topology of a communicator, and communicators that have one.
//
// Layer    mpi/topologies: may include mpi/communicators.
// Units    ranks of the communicator.
// Threads  any: a topology never changes.
// Errors   a failure: MPI_ERR_TOPOLOGY where a communicator has another topology, or none; what
//          peal/detail/core.hpp says of with_neighbors.
// Source   MPI 5.0, 8.5 and 8.6 (the order of neighbours).
#pragma once

#include <mpi.h>

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

/// Collective: a copy of `among` that has the topology; its error handler is that of `from`.
[[nodiscard]] MPI_Comm copy_with(topology wanted, detail::communicator_state& among,
                                 const communicator& from);
/// The same of the first ranks of `from` alone; MPI_COMM_NULL for the others.
[[nodiscard]] MPI_Comm first_ranks_with(topology wanted, int ranks, const communicator& from);
/// The same of the ranks that give one number; MPI_COMM_NULL for MPI_UNDEFINED.
[[nodiscard]] MPI_Comm part_with(topology wanted, int part, const communicator& from);

}  // namespace peal::mpi
