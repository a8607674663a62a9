// MPI_Dims_create.
#include <cstddef>

#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"
#include "mpi/topologies/balanced_dims.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Dims_create, int nnodes, int ndims, int dims[]) {
  return run_in_job("MPI_Dims_create", [&] {
    need(ndims >= 0, MPI_ERR_DIMS, "ndims", ndims, "it must not be negative");
    if (ndims > 0) need_place(dims, "dims");
    balance_dims(nnodes, {dims, static_cast<std::size_t>(ndims)});
  });
}
