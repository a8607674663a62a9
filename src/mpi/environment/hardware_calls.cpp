// What hardware a process has to itself.
#include "mpi/environment/hardware.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Get_hw_resource_info, MPI_Info* hw_info) {
  return run("MPI_Get_hw_resource_info", [&] {
    need_place(hw_info, "hw_info");
    *hw_info = handle_of(hardware_info());
  });
}
