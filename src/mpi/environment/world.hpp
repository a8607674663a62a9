// mpi/environment/world.hpp
// The ranks of the job, as objects of MPI name them.
//
// Layer    mpi/environment.
// Units    ranks of MPI_COMM_WORLD.
// Threads  any.
// Errors   a failure, MPI_ERR_OTHER, where no job runs.
#pragma once

namespace peal::mpi {

[[nodiscard]] int world_size();
[[nodiscard]] int world_rank();

}  // namespace peal::mpi
