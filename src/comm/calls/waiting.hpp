// comm/calls/waiting.hpp
// How blocking calls wait for an operation and give it back.
//
// Layer    comm.
// Threads  without the engine's lock held.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "comm/start/lane.hpp"
#include "peal/detail/core.hpp"

namespace peal {

/// Progress until the operation is finished. What a continuation throws comes out after that.
inline void wait_for(lane& here, const operation& awaited) {
  // acquire: pairs with the release that ends an operation, so that its outcome and its buffer can be read.
  here.progress.wait_unlocked([&] { return awaited.finished.load(std::memory_order_acquire); });
}

/// detail::never is the last time there is.
inline std::chrono::steady_clock::time_point on_steady_clock(detail::time_point when) noexcept {
  return std::chrono::steady_clock::time_point{std::chrono::nanoseconds{static_cast<std::int64_t>(when)}};
}

/// Gives a finished operation of a blocking call back, also when a continuation throws out of the wait.
class finished_release {
 public:
  finished_release(lane& here, operation& finished) noexcept : here_{here}, finished_{finished} {}
  ~finished_release() {
    const std::lock_guard<engine> guard{here_.progress};
    here_.messages->release(finished_);
  }
  finished_release(const finished_release&) = delete;
  finished_release& operator=(const finished_release&) = delete;

 private:
  lane& here_;
  operation& finished_;
};

}  // namespace peal
