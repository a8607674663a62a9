#include "mpi/environment/session.hpp"

#include "mpi/support/failure.hpp"

namespace peal::mpi {

// Never destroyed: a program may close a session while static objects go.
session_table& sessions() noexcept {
  static auto* const all = new session_table;
  return *all;
}

session& session_of(MPI_Session handle) {
  session* const found = sessions().find(handle);
  if (found == nullptr) [[unlikely]]
    fail_handle(MPI_ERR_SESSION, "session", handle, MPI_SESSION_NULL, "MPI_SESSION_NULL",
                "session");
  return *found;
}

}  // namespace peal::mpi
