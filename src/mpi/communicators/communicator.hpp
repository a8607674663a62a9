// mpi/communicators/communicator.hpp
// A communicator of the C interface: peal's, and what MPI adds to it.
//
// Layer    mpi/communicators.
// Threads  as MPI_Init_thread says.
// Errors   communicator_of throws a failure, MPI_ERR_COMM.
#pragma once

#include <mpi.h>

#include <string>

#include "mpi/attributes/attributes.hpp"
#include "peal/detail/core.hpp"

namespace peal::mpi {

struct communicator {
  detail::communicator_state* state = nullptr;
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  std::string name;
  mpi::attributes attributes;
};

/// Fails for MPI_COMM_NULL and for whatever is no communicator.
[[nodiscard]] communicator& communicator_of(MPI_Comm comm);

}  // namespace peal::mpi
