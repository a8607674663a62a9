// base/copy.hpp
// Copies of known-short blocks without a call: the payload of a small message costs two or three
// moves. And copies to another core, past the caches of this one.
//
// Layer    base.
// Units    bytes.
#pragma once

#include <cstddef>
#include <cstring>

namespace peal {

/// Longest block that copy_short takes.
inline constexpr std::size_t short_copy = 48;

/// Copies `bytes` <= short_copy. Two moves that overlap stand for every length between their sum
/// and the longer one, so there is no loop.
[[gnu::always_inline]] inline void copy_short(void* to, const void* from,
                                              std::size_t bytes) noexcept {
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  // The first and the last Width bytes, both loaded before either is stored.
  const auto ends = [&]<std::size_t Width>() {
    struct block {
      std::byte bytes[Width];
    } first, last;
    std::memcpy(&first, source, Width);
    std::memcpy(&last, source + bytes - Width, Width);
    std::memcpy(target, &first, Width);
    std::memcpy(target + bytes - Width, &last, Width);
  };
  if (bytes == 8) {  // one double, one pointer: the most frequent length
    std::memcpy(target, source, 8);
  } else if (bytes > 16) {
    if (bytes > 32) std::memcpy(target + 16, source + 16, 16);
    ends.template operator()<16>();
  } else if (bytes > 8) {
    ends.template operator()<8>();
  } else if (bytes >= 4) {
    ends.template operator()<4>();
  } else if (bytes > 0) {
    target[0] = source[0];
    target[bytes / 2] = source[bytes / 2];
    target[bytes - 1] = source[bytes - 1];
  }
}

/// Whether a block for another core travels faster through memory than from cache to cache, for
/// those who do not measure it themselves (transport/shm/write_choice.hpp): on AMD EPYC, where it
/// depends on the state of the machine; elsewhere it was not measured, and so is not done.
bool past_caches_pays() noexcept;

/// Whether this processor can.
bool can_copy_past_caches() noexcept;
/// Copies by non-temporal stores, and fences: a thread that sees a later store sees the block.
/// Requires: `to` is 32-byte aligned; on x86, AVX.
void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept;

/// Copies with the widest vectors of the processor: memcpy takes string instructions at these
/// lengths, and those lose half their speed at some addresses (AMD EPYC 9004, copies between the
/// cores: 17–34 GB/s, by the address; this loop 35).
void copy_wide(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace peal
