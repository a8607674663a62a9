// base/uncaught.hpp
// An error of peal's that is not caught ends the process with one line, which says the rank, like
// any other line of the log.
//
// Layer    base.
// Threads  any.
#pragma once

namespace peal {

/// From now on. A program that has a terminate handler of its own keeps it.
void tell_of_uncaught_errors() noexcept;

}  // namespace peal
