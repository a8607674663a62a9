// mpi/topologies/topology_communicators.hpp
// Communicators that have a topology.
//
// Layer    mpi/topologies: may include mpi/communicators.
// Units    ranks of the communicator that they are made from.
// Errors   what peal/detail/core.hpp says of with_neighbors.
#pragma once

#include "mpi/topologies/topology.hpp"

namespace peal::mpi {

/// Collective: a copy of `among` that has the topology; its error handler is that of `from`.
[[nodiscard]] MPI_Comm copy_with(topology wanted, detail::communicator_state& among,
                                 const communicator& from);
/// The same of the first ranks of `from` alone; MPI_COMM_NULL for the others.
[[nodiscard]] MPI_Comm first_ranks_with(topology wanted, int ranks, const communicator& from);
/// The same of the ranks that give one number; MPI_COMM_NULL for MPI_UNDEFINED.
[[nodiscard]] MPI_Comm part_with(topology wanted, int part, const communicator& from);

}  // namespace peal::mpi
