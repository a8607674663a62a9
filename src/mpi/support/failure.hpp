// mpi/support/failure.hpp
// What a function of MPI ends with when it does not do what it should: an error class, and a
// sentence for people.
//
// Layer    mpi/support.
// Errors   these functions throw `failure`, but for class_of.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <system_error>

#include <mpi.h>

namespace peal::mpi {

struct failure {
  int error_class;  // MPI_ERR_..., or a code that the program has added
  std::string what;
};

[[noreturn, gnu::cold]] void fail(int error_class, std::string what);
/// With the name of an argument and its value.
[[noreturn, gnu::cold]] void fail(int error_class, const char* argument, long long value,
                                  const char* why);
inline void need(bool holds, int error_class, const char* argument, long long value,
                 const char* why) {
  if (!holds) [[unlikely]]
    fail(error_class, argument, value, why);
}
[[noreturn, gnu::cold]] void fail_no_place(const char* argument);
/// A pointer through which something is to be told, or read.
inline void need_place(const void* place, const char* argument) {
  if (place == nullptr) [[unlikely]]
    fail_no_place(argument);
}

/// A handle that stands for no object: `null` is the one that the standard has for it.
[[noreturn]] void fail_handle(int error_class, const char* argument, const void* handle,
                              const void* null, const char* name_of_null, const char* kind);
/// Sentences begin with the name of an argument. Where a function has another name for it, or two
/// of a kind, what the body fails with is told with that.
struct renamed_argument {
  const char* from;
  const char* to;
};
using argument_names = std::initializer_list<renamed_argument>;
[[noreturn]] void rethrow_with(argument_names names, failure& what);
template <class Body>
decltype(auto) with_names(argument_names names, Body&& body) {
  try {
    return body();
  } catch (failure& what) {
    rethrow_with(names, what);
  }
}

/// Of what peal's own functions end with.
[[nodiscard]] int class_of(const std::error_code& error) noexcept;
/// Such as "MPI_ERR_COUNT"; null for a code that the program has added.
[[nodiscard]] const char* name_of_class(int error_class) noexcept;

}  // namespace peal::mpi
