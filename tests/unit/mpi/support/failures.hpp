// mpi/support/failures.hpp
// What a test expects of code that is to fail.
//
// Layer    tests.
// Errors   none.
#pragma once

#include <utility>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// MPI_SUCCESS: nothing was thrown.
template <class Body>
[[nodiscard]] int class_thrown_by(Body&& body) {
  try {
    std::forward<Body>(body)();
  } catch (const failure& thrown) {
    return thrown.error_class;
  }
  return MPI_SUCCESS;
}

}  // namespace peal::mpi
