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

#include "peal/detail/core.hpp"

namespace peal::mpi {

/// For the length of a function: what is recorded of the run is recorded under its name, and the
/// place that called it.
class named_calls {
 public:
  // Inline, so that the return address is that of the function.
  [[gnu::always_inline]] explicit named_calls(const char* function) noexcept
      : on_{detail::calls_are_recorded} {
    if (on_) [[unlikely]]
      detail::name_calls(function, __builtin_return_address(0));
  }
  [[gnu::always_inline]] ~named_calls() {
    if (on_) [[unlikely]]
      detail::end_named_calls();
  }
  named_calls(const named_calls&) = delete;
  named_calls& operator=(const named_calls&) = delete;

 private:
  const bool on_;
};

/// In a handler of an exception: makes an error code of it, after the error handler of the
/// communicator was called; MPI_COMM_NULL: what went wrong belongs to none.
[[gnu::cold]] int raised(const char* function, MPI_Comm comm) noexcept;
[[gnu::cold]] int raised(const char* function, MPI_Session session) noexcept;
[[gnu::cold]] int raised(const char* function, MPI_File file) noexcept;

template <class Owner, std::invocable Body>
[[gnu::always_inline]] inline int run(const char* function, Owner owner, Body&& body) noexcept {
  const named_calls named{function};
  try {
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return raised(function, owner);
  }
}
/// Of a function that no communicator belongs to.
template <std::invocable Body>
[[gnu::always_inline]] inline int run(const char* function, Body&& body) noexcept {
  return run(function, MPI_COMM_NULL, body);
}

/// Fails, MPI_ERR_OTHER, before the start and after the end of MPI and of all sessions.
void need_job();
/// As `run`, of a function that needs MPI to run, and finds that out by no argument.
template <std::invocable Body>
[[gnu::always_inline]] inline int run_in_job(const char* function, Body&& body) noexcept {
  return run(function, MPI_COMM_NULL, [&] {
    need_job();
    body();
  });
}

}  // namespace peal::mpi
