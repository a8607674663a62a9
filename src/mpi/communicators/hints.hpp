// mpi/communicators/hints.hpp
// What a program asserts of a communicator, by info objects. That no receive takes any tag has an
// effect where the communicator is made, by a copy of another one: whether it names its tags is
// asked of the communicator itself, and no later hint changes it.
//
// Layer    mpi/communicators.
// Threads  one at a time for each communicator.
// Errors   hints_in throws a failure: MPI_ERR_INFO for what is no info object; MPI_ERR_INFO_VALUE
//          where an assertion is neither "true" nor "false".
// Source   MPI 5.0, section 7.4.4.
#pragma once

#include <mpi.h>

#include "mpi/communicators/communicator.hpp"
#include "mpi/info/info.hpp"

namespace peal::mpi {

/// Those of the standard, without any others.
[[nodiscard]] info hints_in(MPI_Info from);
[[nodiscard]] bool wants_named_tags(const info& hints);

/// Those that are not given stay. `given`: as hints_in finds them.
void set_hints(communicator& of, const info& given);
[[nodiscard]] info hints_in_use(const communicator& of);

}  // namespace peal::mpi
