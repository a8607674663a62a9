// collective/record.hpp
// Where a file of algorithms/ puts the record of its algorithm. algorithms.cpp, which includes
// these files, makes the table of all that it finds here, so that an algorithm is in no other list.
//
// Layer    collective.
// Threads  constant.
#pragma once

#include "collective/algorithms.hpp"

namespace peal::algorithms {

/// One of these has the number that __COUNTER__ gives it: the records stand in the order of the
/// includes. A number without a record (a header may count, too) has no function that builds.
template <int number>
constexpr algorithm record{};

}  // namespace peal::algorithms
