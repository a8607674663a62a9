// base/timing/copy_time.hpp
// How long this process has copied and joined long blocks, where that is asked for.
//
// Layer    base.
// Units    bytes; ticks of ticks.hpp.
// Threads  any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/timing/ticks.hpp"

namespace peal {

/// Null: nobody asks.
inline std::atomic<std::atomic<std::uint64_t>*> copied_ticks{nullptr};

/// For the length of a copy. Shorter ones take no longer than to read the clock twice.
class copy_time {
 public:
  static constexpr std::size_t least = 2048;

  // relaxed: it is set before there are messages.
  explicit copy_time(std::size_t bytes) noexcept
      : sum_{bytes < least ? nullptr : copied_ticks.load(std::memory_order_relaxed)} {
    if (sum_ != nullptr) [[unlikely]]
      began_ = ticks();
  }
  ~copy_time() {
    if (sum_ != nullptr) [[unlikely]]
      sum_->fetch_add(ticks() - began_, std::memory_order_relaxed);  // relaxed: a sum
  }
  copy_time(const copy_time&) = delete;
  copy_time& operator=(const copy_time&) = delete;

 private:
  std::atomic<std::uint64_t>* const sum_;
  std::uint64_t began_ = 0;
};

}  // namespace peal
