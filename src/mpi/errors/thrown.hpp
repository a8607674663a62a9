// mpi/errors/thrown.hpp
// What a function of MPI ended with, as an error class and a sentence.
//
// Layer    mpi/errors.
// Threads  any.
// Errors   none.
#pragma once

#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// Requires: called while an exception is handled.
[[nodiscard]] failure what_was_thrown() noexcept;

}  // namespace peal::mpi
