// mpi/environment/fortran_abi.hpp
// What a Fortran binding tells of its compiler: the sizes of its types, and its logical values. The
// library itself has no use for it, and gives it to whoever asks.
//
// Layer    mpi/environment.
// Units    bytes.
// Threads  any.
// Errors   MPI_ERR_ABI for what contradicts what was told before; MPI_ERR_ARG for a size that no
//          logical has.
// Source   MPI 5.0, chapter 20.
#pragma once

#include <mpi.h>

#include <optional>

#include "mpi/info/info.hpp"

namespace peal::mpi {

/// Once, or again with the same keys and values.
void set_fortran_info(const info& told);
/// Nothing, where none was told.
[[nodiscard]] std::optional<info> fortran_info();

/// Each value has logical_size bytes. Once, or again with the same values.
void set_fortran_booleans(int logical_size, const void* logical_true, const void* logical_false);
/// False: they were not told.
[[nodiscard]] bool get_fortran_booleans(int logical_size, void* logical_true, void* logical_false);

/// The sizes of the C types of the ABI.
[[nodiscard]] info abi_info();

}  // namespace peal::mpi
