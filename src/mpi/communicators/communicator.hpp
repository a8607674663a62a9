// mpi/communicators/communicator.hpp
// A communicator of the C interface: peal's, and what MPI adds to it.
//
// An intercommunicator is one of peal's with the members of both groups, one group after the other,
// so that a rank of the remote group is a number away from its rank there.
//
// Layer    mpi/communicators.
// Threads  as MPI_Init_thread says.
// Errors   communicator_of throws a failure: MPI_ERR_COMM, or MPI_ERR_OTHER where no job runs.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "mpi/attributes/attributes.hpp"
#include "mpi/groups/group.hpp"
#include "mpi/info/info.hpp"
#include "mpi/support/handle_table.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

class send_buffer;
struct topology;  // mpi/topologies

struct communicator {
  detail::communicator_state* state = nullptr;
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  // Of an intercommunicator: where in `state` the remote group begins, and its size, else 0.
  int remote_first = 0;
  int remote_size = 0;
  std::string name;
  mpi::attributes attributes;
  // For buffered sends (point_to_point/send_buffer.hpp); null: there is none.
  std::shared_ptr<send_buffer> buffer;
  std::shared_ptr<send_buffer> session_buffer;    // of the session that it comes from
  std::shared_ptr<const mpi::topology> topology;  // null: it has none; copies have the same one
  info hints;                                     // those that peal knows

  [[nodiscard]] bool is_inter() const noexcept { return remote_size != 0; }
  /// Of the local group.
  [[nodiscard]] int size() const noexcept { return detail::size_of(*state) - remote_size; }
  [[nodiscard]] int rank() const noexcept { return detail::rank_of(*state) - local_first(); }
  /// Where in `state` the local group begins.
  [[nodiscard]] int local_first() const noexcept { return remote_first == 0 ? remote_size : 0; }

  /// The rank in `state` of the other side of a message. What is no rank of the remote group stays
  /// what it is, or becomes what is no rank at all.
  [[nodiscard]] int peer_in_state(int rank) const noexcept {
    if (!is_inter()) [[likely]]
      return rank;
    return rank < 0 ? rank : rank < remote_size ? rank + remote_first : detail::size_of(*state);
  }
  /// The reverse, for the source of a message.
  [[nodiscard]] int peer_from_state(int rank) const noexcept {
    return rank < 0 ? rank : rank - remote_first;
  }
};

using communicator_table = handle_table<MPI_Comm, communicator, handle_kind::communicator>;
inline constinit everlasting<communicator_table> all_communicators;
[[nodiscard]] inline communicator_table& communicators() noexcept {
  return all_communicators.value;
}

[[noreturn, gnu::cold]] void fail_no_communicator(MPI_Comm comm);
/// Fails for MPI_COMM_NULL and for whatever is no communicator.
// Always inline, since every message comes by, and a compiler finds it too long.
[[nodiscard, gnu::always_inline]] inline communicator& communicator_of(MPI_Comm comm) {
  communicator* const found = communicators().find(comm);
  if (found == nullptr || found->state == nullptr) [[unlikely]]
    fail_no_communicator(comm);
  return *found;
}
/// The same, for an argument of this name.
[[nodiscard]] communicator& communicator_of(MPI_Comm comm, const char* argument);
/// For what needs none of peal's: one that MPI_Comm_idup is still making is found, too. Programs
/// give it an error handler before they wait for it.
[[nodiscard]] communicator& communicator_to_be(MPI_Comm comm);
/// Fails for an intercommunicator, too.
[[nodiscard]] communicator& intracommunicator_of(MPI_Comm comm, const char* argument = "comm");
/// Fails for whatever is no intercommunicator.
[[nodiscard]] communicator& intercommunicator_of(MPI_Comm comm, const char* argument = "comm");

/// For a rank that refuses its arguments of a collective: the others learn of it. An error that
/// ends the job is not held up by a blocking call, which would wait for them.
void take_no_part(const communicator& on, detail::call_form form);
/// The checks before a collective over all members that waits, such as one that makes a
/// communicator.
template <class Checks>
decltype(auto) check_for_all(const communicator& on, Checks&& checks) {
  try {
    return checks();
  } catch (...) {
    take_no_part(on, detail::call_form::blocking);
    throw;
  }
}

/// MPI_COMM_WORLD and MPI_COMM_SELF are there from now on. Collective.
void set_world(detail::communicator_state& all);
/// Before the end of MPI_COMM_WORLD.
void forget_communicators();

/// The local group of an intercommunicator.
[[nodiscard]] group group_of_communicator(const communicator& of);
[[nodiscard]] group remote_group_of(const communicator& of);

/// A handle for one that peal has made, with the error handler of the one that it comes from.
[[nodiscard]] MPI_Comm hand_out(detail::communicator_state& made, const communicator& from);
/// The same with this error handler, and the buffer of this session.
[[nodiscard]] MPI_Comm hand_out(detail::communicator_state& made, MPI_Errhandler errhandler,
                                std::shared_ptr<send_buffer> session_buffer);
/// Attributes go first; `comm` is MPI_COMM_NULL in the end. Fails for the predefined ones.
void free_communicator(MPI_Comm& comm);

}  // namespace peal::mpi
