// What the functions of datatypes need of the rest of the library: errors become their class, with
// no error handler, and the communicators of the start are there.

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

void fail_no_communicator(MPI_Comm /*comm*/) {
  fail(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
}

namespace {
const bool there = [] {
  static communicator only;
  // Nobody looks at it.
  only.state = reinterpret_cast<detail::communicator_state*>(&only);
  for (const MPI_Comm each : {MPI_COMM_WORLD, MPI_COMM_SELF}) communicators().set(each, only);
  return true;
}();
}  // namespace

}  // namespace peal::mpi
