// What the functions of datatypes need of the rest of the library: errors become their class, with
// no error handler, and every communicator is there but MPI_COMM_NULL.

#include "mpi/communicators/communicator.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

namespace peal::mpi {

int raised(const char*, MPI_Comm) noexcept {
  try {
    throw;
  } catch (const failure& failed) {
    return failed.what.empty() ? MPI_ERR_UNKNOWN : failed.error_class;  // each one has its sentence
  } catch (...) {
    return MPI_ERR_UNKNOWN;
  }
}

void need_job() {}

communicator& communicator_of(MPI_Comm comm) {
  static communicator only;
  if (comm == MPI_COMM_NULL) fail(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
  return only;
}

}  // namespace peal::mpi
