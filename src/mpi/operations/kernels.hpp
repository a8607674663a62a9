// mpi/operations/kernels.hpp
// Reductions that peal's own kernels do not know: pairs of a value and an index, and numbers that
// are rare.
//
// Layer    mpi/operations.
// Errors   none: null where an operation does not know the type.
#pragma once

#include <mpi.h>

#include "mpi/datatypes/definition.hpp"
#include "mpi/operations/op.hpp"

namespace peal::mpi {

/// MPI_MINLOC and MPI_MAXLOC.
[[nodiscard]] joining::kernel pair_kernel(MPI_Op op, const value_index& pair) noexcept;
[[nodiscard]] joining::kernel number_kernel(detail::builtin kind, const basic_type& type) noexcept;

}  // namespace peal::mpi
