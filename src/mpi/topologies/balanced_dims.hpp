// mpi/topologies/balanced_dims.hpp
// Extents of a grid for so many ranks.
//
// Layer    mpi/topologies.
// Threads  any.
// Errors   a failure: MPI_ERR_DIMS where the extents given do not go with the number of ranks;
//          MPI_ERR_ARG for a number of ranks below 1.
#pragma once

#include <span>

namespace peal::mpi {

/// Sets those that are 0: as even as they can be, the largest first.
void balance_dims(int ranks, std::span<int> dims);

}  // namespace peal::mpi
