#include "mpi/environment/session.hpp"

#include "mpi/support/failure.hpp"

namespace peal::mpi {

session& session_of(MPI_Session handle) {
  fail(MPI_ERR_SESSION,
       handle == MPI_SESSION_NULL ? "session is MPI_SESSION_NULL" : "session is no session");
}

}  // namespace peal::mpi
