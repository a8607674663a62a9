// transport/verbs/bulk/pieces/block_places.hpp
// Where the bytes of a payload lie that is made of blocks of one length at one distance
// (detail::strided_blocks): they are read from there, and put there, without being packed.
//
// Layer    transport/verbs.
// Units    bytes; positions in the payload.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peal/detail/core.hpp"

namespace peal::verbs {

class block_places {
 public:
  block_places(std::uint64_t first, std::uint64_t length, std::uint64_t stride) noexcept
      : first_{first}, length_{length}, stride_{stride} {}
  explicit block_places(const detail::strided_blocks& of) noexcept
      : block_places{reinterpret_cast<std::uint64_t>(of.first), of.length, of.stride} {}

  [[nodiscard]] std::uint64_t address_of(std::uint64_t at) const noexcept {
    return first_ + at / length_ * stride_ + at % length_;
  }
  /// Where the block ends in which a part at this position lies, or the last of so many.
  [[nodiscard]] std::uint64_t end_at(std::uint64_t at, std::uint64_t blocks = 1) const noexcept {
    return (at / length_ + blocks) * length_;
  }
  /// From the first byte of so many of the payload to the last one, gaps included.
  [[nodiscard]] std::uint64_t span(std::uint64_t bytes) const noexcept {
    return address_of(bytes - 1) + 1 - first_;
  }

 private:
  std::uint64_t first_, length_, stride_;
};

}  // namespace peal::verbs
