// mpi/neighbors/fill.hpp
// How the arguments of each collective between neighbours become work, the same for all its forms.
//
// Layer    mpi/neighbors: may include mpi/collectives.
// Units    as mpi/collectives/work.hpp says; blocks are those of the neighbours, in their order.
// Threads  one at a time.
// Errors   as work.hpp says; MPI_ERR_BUFFER for MPI_IN_PLACE, which has no meaning between
//          neighbours.
// Source   MPI 5.0, 8.6.
#pragma once

#include "mpi/collectives/fill.hpp"

namespace peal::mpi {

/// Every neighbour gets the same block.
void fill_neighbor_allgather(work& w, const block& from, const block& into);
void fill_neighbor_allgatherv(work& w, const block& from, const block_array& into);
void fill_neighbor_alltoall(work& w, const block& from, const block& into);
/// alltoallv, and alltoallw.
void fill_neighbor_alltoallv(work& w, const block_array& from, const block_array& into);

}  // namespace peal::mpi
