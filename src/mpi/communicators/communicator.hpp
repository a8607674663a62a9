// mpi/communicators/communicator.hpp
// A communicator of the C interface: peal's, and what MPI adds to it.
//
// Layer    mpi/communicators.
// Threads  as MPI_Init_thread says.
// Errors   communicator_of throws a failure: MPI_ERR_COMM, or MPI_ERR_OTHER where no job runs.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "mpi/attributes/attributes.hpp"
#include "mpi/support/handle_table.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

class send_buffer;
struct topology;  // mpi/topologies

struct communicator {
  detail::communicator_state* state = nullptr;
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  std::string name;
  mpi::attributes attributes;
  // For buffered sends (point_to_point/send_buffer.hpp); null: there is none.
  std::shared_ptr<send_buffer> buffer;
  std::shared_ptr<send_buffer> session_buffer;  // of the session that it comes from
  std::shared_ptr<const mpi::topology> topology;  // null: it has none; copies have the same one
};

using communicator_table = handle_table<MPI_Comm, communicator, handle_kind::communicator>;
[[nodiscard]] communicator_table& communicators() noexcept;

/// Fails for MPI_COMM_NULL and for whatever is no communicator.
[[nodiscard]] communicator& communicator_of(MPI_Comm comm);

/// MPI_COMM_WORLD and MPI_COMM_SELF are there from now on. Collective.
void set_world(detail::communicator_state& all);
/// Before the end of the job.
void forget_communicators();

/// A handle for one that peal has made, with the error handler of the one that it comes from.
[[nodiscard]] MPI_Comm hand_out(detail::communicator_state& made, const communicator& from);

}  // namespace peal::mpi
