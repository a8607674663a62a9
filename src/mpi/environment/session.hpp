// mpi/environment/session.hpp
// What MPI_Session_init makes.
//
// Layer    mpi/environment.
// Threads  any, one session at a time.
// Errors   session_of throws a failure, MPI_ERR_SESSION.
#pragma once

#include <mpi.h>

#include <memory>
#include "mpi/support/handle_table.hpp"

namespace peal::mpi {

class send_buffer;

struct session {
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  int threads = MPI_THREAD_SINGLE;  // the level that is provided
  /// For buffered sends of its communicators (point_to_point/send_buffer.hpp), which share it.
  std::shared_ptr<send_buffer> buffer;
};

using session_table = handle_table<MPI_Session, session, handle_kind::session>;
[[nodiscard]] session_table& sessions() noexcept;
/// Fails for MPI_SESSION_NULL and for whatever is no session.
[[nodiscard]] session& session_of(MPI_Session handle);

}  // namespace peal::mpi
