// peal/status.hpp
// What is known of a message once it has arrived.
//
// Units    bytes; `source` is a rank of the communicator that received.
#pragma once

#include <cstddef>
#include <system_error>

#include <peal/data/datatype.hpp>
#include <peal/detail/core.hpp>
#include <peal/tag.hpp>

namespace peal {

/// What is known of a message that has come.
struct status {
  int source = proc_null;  ///< the rank that sent it
  peal::tag tag;           ///< the tag with which it was sent
  std::size_t bytes = 0;   ///< how long it is
  std::error_code error;   ///< none where all went well

  /// How many whole T arrived.
  template <fixed T>
  [[nodiscard]] constexpr std::size_t count() const noexcept {
    return bytes / sizeof(T);
  }
};

namespace detail {
inline status status_of(const outcome& end) noexcept {
  return {end.source, peal::tag{end.tag}, end.bytes, end.error};
}
}  // namespace detail

}  // namespace peal
