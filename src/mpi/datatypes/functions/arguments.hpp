// mpi/datatypes/functions/arguments.hpp
// Arguments of the functions of datatypes: lists of counts of either form, and results that an int
// may not hold.
//
// Layer    mpi/datatypes/functions.
// Errors   MPI_ERR_ARG for a list that is a null pointer, MPI_ERR_COUNT for a negative count.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "mpi/datatypes/datatype.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// Functions that end in _c have MPI_Count where others have int.
template <class Count>
inline constexpr form form_of = std::is_same_v<Count, MPI_Count> ? form::large : form::small;

/// A list as the program gave it.
template <class Count>
[[nodiscard]] std::span<const Count> span_of(const Count* list, std::int64_t count,
                                             const char* argument) {
  need(count >= 0, MPI_ERR_COUNT, "count", count, "it must not be negative");
  if (count != 0) need_place(list, argument);
  return {list, static_cast<std::size_t>(count)};
}
template <class Count>
[[nodiscard]] std::vector<std::int64_t> list_of(const Count* list, std::int64_t count,
                                                const char* argument) {
  const std::span<const Count> given = span_of(list, count, argument);
  return {given.begin(), given.end()};
}

/// MPI_UNDEFINED where the result is too large for its type.
template <class Result>
[[nodiscard]] Result result_of(std::int64_t value) noexcept {
  if (value > std::numeric_limits<Result>::max()) return MPI_UNDEFINED;
  return static_cast<Result>(value);
}

}  // namespace peal::mpi
