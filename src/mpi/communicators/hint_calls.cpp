// Hints about communicators.
#include "mpi/communicators/communicator.hpp"
#include "mpi/communicators/hints.hpp"
#include "mpi/info/info.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Comm_set_info, MPI_Comm comm, MPI_Info info) {
  return run("MPI_Comm_set_info", comm, [&] { set_hints(communicator_of(comm), hints_in(info)); });
}

PEAL_MPI_FUNCTION(int, Comm_get_info, MPI_Comm comm, MPI_Info* info_used) {
  return run("MPI_Comm_get_info", comm, [&] {
    const communicator& of = communicator_of(comm);
    need_place(info_used, "info_used");
    *info_used = handle_of(hints_in_use(of));
  });
}
