// What a body fails with.
#pragma once

#include <mpi.h>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// MPI_SUCCESS: it did not fail.
template <class Body>
int class_thrown(const Body& body) {
  try {
    body();
  } catch (const failure& failed) {
    return failed.what.empty() ? MPI_ERR_UNKNOWN : failed.error_class;  // each has its sentence
  }
  return MPI_SUCCESS;
}

}  // namespace peal::mpi
