// transport/verbs/eager/inline_copies.hpp
// What was sent inline, until the peer's adapter is known to have it: the device has its own copy,
// but does not give it back when a connection breaks.
//
// A message is written here instead of on the stack, and the work request points here, so it costs
// no copy more. A short one lies in one cache line; what a longer one has beyond that lies in a
// second place, and the device's library puts the two together.
//
// Layer    transport/verbs. Data path.
// Units    bytes.
// Threads  one at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace peal::verbs {

class inline_copies {
 public:
  static constexpr std::size_t head_bytes = 64, rest_bytes = 192;
  struct alignas(64) head {
    std::byte bytes[head_bytes];
  };
  struct alignas(64) rest {
    std::byte bytes[rest_bytes];
  };

  /// For so many requests that are not known to be complete.
  void reserve(std::size_t requests) {
    const std::size_t count = std::bit_ceil(requests);
    mask_ = static_cast<std::uint32_t>(count - 1);
    heads_ = std::make_unique_for_overwrite<head[]>(count);
    rests_ = std::make_unique_for_overwrite<rest[]>(count);
  }
  /// Of the request with this number.
  [[nodiscard]] std::byte* head_of(std::uint32_t sequence) const noexcept {
    return heads_[sequence & mask_].bytes;
  }
  [[nodiscard]] std::byte* rest_of(std::uint32_t sequence) const noexcept {
    return rests_[sequence & mask_].bytes;
  }

 private:
  std::uint32_t mask_ = 0;
  std::unique_ptr<head[]> heads_;
  std::unique_ptr<rest[]> rests_;
};

}  // namespace peal::verbs
