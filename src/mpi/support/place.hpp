// mpi/support/place.hpp
// Where calls of peal's own functions come from. What goes wrong is told with the name of the MPI
// function, so that one place does for all of them.
//
// Layer    mpi/support.
// Errors   none.
#pragma once

#include <source_location>

namespace peal::mpi {

inline constexpr std::source_location place = std::source_location::current();

}  // namespace peal::mpi
