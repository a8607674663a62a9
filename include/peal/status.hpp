// peal/status.hpp
// What is known of a message once it has arrived.
//
// Units    bytes; `source` is a rank of the communicator that received.
#pragma once

#include <cstddef>
#include <system_error>

#include <peal/datatype.hpp>
#include <peal/detail/core.hpp>
#include <peal/tag.hpp>

namespace peal {

struct status {
  int source = proc_null;
  peal::tag tag;
  std::size_t bytes = 0;
  std::error_code error;

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
