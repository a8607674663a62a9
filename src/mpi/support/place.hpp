// mpi/support/place.hpp
// Where calls of peal's own functions come from. What goes wrong is told with the name of the MPI
// function, so that one place does for all of them.
//
// Layer    mpi/support.
// Errors   none.
#pragma once

#include <source_location>

namespace peal::mpi {

// Not inline: g++ 12 puts what it points to into a section of its own, of which copies of other
// files go away, and with -O1 these are referred to all the same.
constexpr std::source_location place = std::source_location::current();

}  // namespace peal::mpi
