// transport/verbs/bulk/pieces/block_ranges.hpp
// Registers the memory in which the blocks of a payload lie, gaps included, where it is worth it to
// move them without packing.
//
// To register memory costs more than to pack into a buffer that is registered already. So a payload
// is packed when its memory is seen for the first time; what is sent from the same place again is
// worth it.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   null: it is to be packed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "peal/detail/core.hpp"
#include "transport/verbs/bulk/pieces/block_places.hpp"
#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

class block_ranges {
 public:
  /// Blocks of so many bytes at least; 0: none.
  block_ranges(std::size_t least_block, registration_cache& cache) noexcept
      : least_block_{least_block}, cache_{cache} {}

  /// Of as many blocks as so many bytes take. A registration covers them until it is released.
  [[nodiscard]] registration* acquire(const detail::strided_blocks& of, std::size_t bytes,
                                      range_use use) noexcept {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();  // that a peer is told
    if (least_block_ == 0 || of.length < least_block_ || of.stride > most || of.length > most ||
        bytes <= of.length || of.stride / most_spread > of.length)
      return nullptr;
    const std::size_t span = block_places{of}.span(bytes);
    if (registration* const held = cache_.find(of.first, span, use)) return held;
    if (!seen(of.first, span)) return nullptr;
    return cache_.acquire(of.first, span, use);
  }

 private:
  /// As long as its blocks at most: what lies between them is pinned, too.
  static constexpr std::size_t most_spread = 16;

  struct range {
    const std::byte* first = nullptr;
    std::size_t bytes = 0;
    friend bool operator==(const range&, const range&) = default;
  };
  /// Whether it was among the last ones before.
  [[nodiscard]] bool seen(const std::byte* first, std::size_t bytes) noexcept {
    const range wanted{first, bytes};
    if (std::ranges::find(last_, wanted) != last_.end()) return true;
    last_[next_++ % last_.size()] = wanted;
    return false;
  }

  const std::size_t least_block_;
  registration_cache& cache_;
  std::array<range, 64> last_;  // more than the faces of a cube, of several fields
  std::size_t next_ = 0;
};

}  // namespace peal::verbs
