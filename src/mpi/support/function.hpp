// mpi/support/function.hpp
// The frame of every function of the C interface. One is written so:
//
//     PEAL_MPI_FUNCTION(int, Comm_size, MPI_Comm comm, int* size) {
//       return run("MPI_Comm_size", comm, [&] { ... });
//     }
//
// which defines PMPI_Comm_size, and MPI_Comm_size as a weak name for it, so that a tool can stand
// in between. What the body throws becomes an error code, after the error handler was called.
//
// Layer    mpi/support.
// Errors   none: bodies may throw anything.
#pragma once

#include <mpi.h>

#include <concepts>

#define PEAL_MPI_FUNCTION(result, name, ...)                                                       \
  extern "C" result PMPI_##name(__VA_ARGS__);                                                      \
  extern "C" __attribute__((weak, alias("PMPI_" #name), visibility("default"))) result MPI_##name( \
      __VA_ARGS__);                                                                                \
  extern "C" __attribute__((visibility("default"))) result PMPI_##name(__VA_ARGS__)

namespace peal::mpi {

/// In a handler of an exception: makes an error code of it, after the error handler of the
/// communicator was called; MPI_COMM_NULL: what went wrong belongs to none.
[[gnu::cold]] int raised(const char* function, MPI_Comm comm) noexcept;
[[gnu::cold]] int raised(const char* function, MPI_Session session) noexcept;
[[gnu::cold]] int raised(const char* function, MPI_File file) noexcept;

template <class Owner, std::invocable Body>
int run(const char* function, Owner owner, Body&& body) noexcept {
  try {
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return raised(function, owner);
  }
}
/// Of a function that no communicator belongs to.
template <std::invocable Body>
int run(const char* function, Body&& body) noexcept {
  return run(function, MPI_COMM_NULL, body);
}

/// Fails, MPI_ERR_OTHER, before the start and after the end of MPI and of all sessions.
void need_job();
/// As `run`, of a function that needs MPI to run, and finds that out by no argument.
template <std::invocable Body>
int run_in_job(const char* function, Body&& body) noexcept {
  return run(function, MPI_COMM_NULL, [&] {
    need_job();
    body();
  });
}

}  // namespace peal::mpi
