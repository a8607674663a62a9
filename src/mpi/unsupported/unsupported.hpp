// mpi/unsupported/unsupported.hpp
// Functions of the ABI that peal does not have yet, so that every program can be linked. They end
// with MPI_ERR_UNSUPPORTED_OPERATION, after the error handler of MPI_COMM_SELF was called.
//
// Layer    mpi/unsupported.
// Errors   as said.
#pragma once

#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

/// The parameters have no names, since nothing is done with them.
#define PEAL_MPI_UNSUPPORTED(name, ...)                                        \
  PEAL_MPI_FUNCTION(int, name, __VA_ARGS__) {                                  \
    return peal::mpi::run("MPI_" #name, [] {                                   \
      peal::mpi::fail(MPI_ERR_UNSUPPORTED_OPERATION, "peal does not have it"); \
    });                                                                        \
  }
