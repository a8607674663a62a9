// collective/direct/call_log.hpp
// Which way the last collectives of a communicator went, by messages or past them. A rank that was
// refused a call asks for it, since it does not know which way the others took.
//
// Layer    collective/direct: may include base/.
// Threads  one adds; any thread may look.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "peal/detail/core.hpp"

namespace peal::direct {

/// The way of a call.
enum class way : std::uint8_t { messages, in_short, in_long, refused };

class call_log {
 public:
  /// How many calls are known.
  static constexpr std::uint32_t depth = 16;

  call_log() = default;
  call_log(const call_log&) = delete;
  call_log& operator=(const call_log&) = delete;
  /// Before the first call: keeps the count there, in the upper half, where other programs see it.
  void keep_in(std::atomic<std::uint64_t>& where) noexcept { both_ = &where; }

  /// One call more; returns how many there have been.
  std::uint32_t add(way taken) noexcept {
    const std::uint64_t known = both_->load(std::memory_order_relaxed);
    const std::uint64_t count = (known >> ways_bits) + 1;
    // release: pairs with the acquire in count(), for what the caller has written down beside it.
    both_->store(
        count << ways_bits | ((known << 2 | static_cast<std::uint64_t>(taken)) & ways_mask),
        std::memory_order_release);
    return static_cast<std::uint32_t>(count);
  }
  [[nodiscard]] std::uint32_t count() const noexcept {
    return static_cast<std::uint32_t>(both_->load(std::memory_order_acquire) >> ways_bits);
  }
  /// Whether the call with that number, from 0 on, has been made.
  [[nodiscard]] bool has(std::uint32_t number) const noexcept {
    return static_cast<std::int32_t>(count() - number) > 0;
  }
  /// Whether its way is known still. Requires, here and below: has(number).
  [[nodiscard]] bool knows(std::uint32_t number) const noexcept {
    return count() - number <= depth;
  }
  /// Requires: knows(number).
  [[nodiscard]] way of(std::uint32_t number) const noexcept {
    const std::uint64_t known = both_->load(std::memory_order_relaxed);
    const std::uint32_t back = static_cast<std::uint32_t>(known >> ways_bits) - number - 1;
    return static_cast<way>(known >> (2 * back) & 3);
  }

 private:
  static constexpr unsigned ways_bits = 2 * depth;
  static constexpr std::uint64_t ways_mask = (std::uint64_t{1} << ways_bits) - 1;
  std::atomic<std::uint64_t> own_{0};
  // How many, and the ways of the last ones, two bits each.
  std::atomic<std::uint64_t>* both_ = &own_;
};

}  // namespace peal::direct
