// mpi/topologies/arrays.hpp
// Arrays of a program: what it gives, and what it is told in them.
//
// Layer    mpi/topologies.
// Threads  any.
// Errors   a failure: MPI_ERR_ARG.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

/// A null pointer will do where there is nothing. Requires: length >= 0.
[[nodiscard]] inline std::span<const int> array_of(const int* from, int length,
                                                   const char* argument) {
  if (length != 0) need_place(from, argument);
  return {from, static_cast<std::size_t>(length)};
}

/// As many numbers as there is room for.
inline void tell(std::span<const int> from, int* to, int room, const char* argument,
                 const char* room_argument) {
  need(room >= 0, MPI_ERR_ARG, room_argument, room, "it must not be negative");
  const auto count = std::min(from.size(), static_cast<std::size_t>(room));
  if (count != 0) need_place(to, argument);
  for (std::size_t each = 0; each != count; ++each) to[each] = from[each];
}

}  // namespace peal::mpi
