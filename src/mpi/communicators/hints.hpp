// mpi/communicators/hints.hpp
// What a program asserts of a communicator, by info objects.
//
// Layer    mpi/communicators.
// Threads  one at a time for each communicator.
// Errors   a failure: MPI_ERR_INFO for what is no info object; MPI_ERR_INFO_VALUE where an
// assertion
//          is neither "true" nor "false".
// Source   MPI 5.0, section 7.4.4.
#pragma once

#include <mpi.h>

#include "mpi/communicators/communicator.hpp"

namespace peal::mpi {

/// Those of the standard are taken, any others are not.
void set_hints(communicator& of, MPI_Info from);

}  // namespace peal::mpi
