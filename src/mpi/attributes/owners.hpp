// mpi/attributes/owners.hpp
// The attributes of an object, by its handle.
//
// Layer    mpi/attributes.
// Threads  as the object.
// Errors   a failure: MPI_ERR_COMM, MPI_ERR_TYPE.
#pragma once

#include <mpi.h>

#include "mpi/attributes/attributes.hpp"

namespace peal::mpi {

[[nodiscard]] attributes& attributes_of(MPI_Comm comm);
[[nodiscard]] attributes& attributes_of(MPI_Datatype type);

}  // namespace peal::mpi
