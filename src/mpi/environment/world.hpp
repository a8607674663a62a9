// mpi/environment/world.hpp
// The job as MPI sees it: whether it runs, with what threads, and its two first communicators.
//
// Layer    mpi/environment.
// Units    ranks of MPI_COMM_WORLD.
// Threads  start and finish in one thread, the rest in any.
// Errors   a failure, MPI_ERR_OTHER, where no job runs.
#pragma once

#include <mpi.h>

namespace peal::mpi {

/// MPI_Init, or the first session. `threads`: the level asked for.
void start_world(int threads);
/// MPI_Finalize, or the end of the last session.
void finish_world();

[[nodiscard]] bool world_started() noexcept;
[[nodiscard]] bool world_finished() noexcept;
/// The level of threads that was provided.
[[nodiscard]] int world_threads();
/// Whether this is the thread that has started it.
[[nodiscard]] bool in_main_thread();
/// Fails before the start and after the end.
void need_world();

[[nodiscard]] int world_size();
[[nodiscard]] int world_rank();

}  // namespace peal::mpi
