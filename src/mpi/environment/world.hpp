// mpi/environment/world.hpp
// The job as MPI sees it: it starts with MPI_Init or with the first session, and whether
// MPI_COMM_WORLD is there depends on MPI_Init alone.
//
// A process is in one job in its life. So it stays in it after its last session, for sessions that
// may follow, until MPI_Finalize, or the end of the process.
//
// Layer    mpi/environment.
// Units    ranks of the job, which are those of MPI_COMM_WORLD.
// Threads  start_world and finish_world in one thread, the rest in any.
// Errors   a failure, MPI_ERR_OTHER, where no job runs.
#pragma once

#include <mpi.h>

#include "peal/detail/core.hpp"

namespace peal::mpi {

/// MPI_Init. `threads`: the level asked for.
void start_world(int threads);
/// MPI_Finalize. The job ends where no session is open.
void finish_world();

/// MPI_Session_init: one session more. The level of threads that is provided.
int enter_session(int threads);
/// MPI_Session_finalize: one less.
void leave_session();

[[nodiscard]] bool world_started() noexcept;
[[nodiscard]] bool world_finished() noexcept;
/// The level of threads that was provided.
[[nodiscard]] int world_threads();
/// Whether this is the thread that has started it.
[[nodiscard]] bool in_main_thread();
/// Fails before MPI_Init and after MPI_Finalize.
void need_world();

/// All ranks of the job, whether MPI_COMM_WORLD is there or not. Fails where no job runs.
[[nodiscard]] detail::communicator_state& all_ranks();
[[nodiscard]] int world_size();
[[nodiscard]] int world_rank();

}  // namespace peal::mpi
