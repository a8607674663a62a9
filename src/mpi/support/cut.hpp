// mpi/support/cut.hpp
// Strings for a program, as much of them as it has room for.
//
// Layer    mpi/support.
// Units    bytes; room is with the byte that ends a string.
// Errors   none.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace peal::mpi {

/// How many bytes it has become, without the one that ends it. Requires: room > 0.
inline std::size_t copy_cut(std::string_view from, char* to, std::size_t room) noexcept {
  const std::size_t length = from.size() < room ? from.size() : room - 1;
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
  return length;
}

}  // namespace peal::mpi
