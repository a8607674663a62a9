// mpi/communicators/intercommunicator.hpp
// How two groups become an intercommunicator.
//
// Layer    mpi/communicators.
// Threads  any.
// Errors   a failure: MPI_ERR_GROUP where a process is in both groups; what detail::form throws.
#pragma once

#include <mpi.h>

#include <string_view>

#include "mpi/communicators/communicator.hpp"

namespace peal::mpi {

/// Collective over both groups, of which each gives its own as the local one. `text`: the same on
/// all; what several threads make at a time is told apart by it.
[[nodiscard]] MPI_Comm form_intercommunicator(const group& local, const group& remote,
                                              std::string_view text, MPI_Errhandler errhandler);

/// The leader's group, in all processes of a communicator. Collective. `found` is read at the
/// leader alone; null: it has none, and all fail, the others with MPI_ERR_OTHER.
[[nodiscard]] group pass_on_group(const communicator& among, int leader, const group* found);

/// The parts of one that those processes make which have a colour, in the order of their keys.
/// Null: this process has none, or no process of the other group has its colour. Collective.
[[nodiscard]] MPI_Comm split_intercommunicator(const communicator& from, bool joins, int color,
                                               int key);

}  // namespace peal::mpi
