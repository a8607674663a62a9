// mpi/errors/handling.hpp
// What follows an error: the error handler of the object is called, or the job ends.
//
// Layer    mpi/errors.
// Threads  any.
// Errors   none.
#pragma once

#include <mpi.h>

#include <concepts>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// Calls the handler, which is one of this kind of object, MPI_Comm, MPI_Session or MPI_File, and
/// gives the error code. A function of the program is told a sentence, too, as a `const char*`
/// after the code, which lives as long as the call. What is no handler, as after its end, is taken
/// for MPI_ERRORS_ARE_FATAL.
template <class Owner>
int handle_error(const char* function, Owner owner, MPI_Errhandler handler,
                 const failure& what) noexcept;

/// What follows an error in a function that is given the error handler of the object that it makes.
/// Requires: called while an exception is handled.
template <class Owner>
int raised_with(const char* function, Owner none, MPI_Errhandler handler) noexcept;

/// The frame of such a function: as `run`. `none`: the null handle of the kind of object.
template <class Owner, std::invocable Body>
int run_with(const char* function, Owner none, MPI_Errhandler handler, Body&& body) noexcept {
  try {
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return raised_with(function, none, handler);
  }
}

/// Says in a line on standard error what went wrong in which function and on which rank, and ends
/// the job, or where none runs the process, with exit code 1.
[[noreturn]] void end_with_error(const char* function, const failure& what) noexcept;

}  // namespace peal::mpi
