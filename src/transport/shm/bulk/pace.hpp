// transport/shm/bulk/pace.hpp
// Whether pieces of payloads should reach a reader through the caches or past them. It depends on
// which cores run the two processes. A virtual machine does not know that, and its host changes it
// from minute to minute; so it is measured, and measured again.
//
// AMD EPYC 9004, virtual, two cores, two-copy pipeline, GB/s: at one time through the caches 35,
// past them 15–18; ten minutes later 1.0 and 6.6; then 2.3 and 20. In the last case the writer's
// stores to lines in the reader's cache were slow, and not the reading.
//
// Layer    transport/shm.
// Units    bytes a nanosecond.
// Threads  one; of the writer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace peal::shm {

class pace {
 public:
  using clock = std::chrono::steady_clock;

  /// Nanoseconds that `work` takes, at most 4 seconds.
  template <class Work>
  static std::uint32_t time(Work&& work) noexcept {
    const auto start = clock::now();
    work();
    return static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count());
  }

  /// The way that is faster at the moment.
  [[nodiscard]] bool past_caches() const noexcept { return past_ > 1.5F * through_; }
  /// Whether to try the other way with one piece: now and then, so rarely that the slowest piece
  /// seen (64 KiB at 1 GB/s) costs little, and a longer one no more.
  [[nodiscard]] bool wants_trial(std::size_t bytes) noexcept {
    const auto now = clock::now();
    if (now < next_trial_) return false;
    constexpr std::size_t usual = 64 << 10;
    next_trial_ = now + std::chrono::milliseconds{5} * std::max<std::size_t>(bytes / usual, 1);
    return true;
  }
  /// A piece took so long, on the slower side. Half of the old value stays, so that one
  /// interruption decides nothing.
  void note(bool past, std::size_t bytes, std::uint32_t nanoseconds) noexcept {
    float& rate = past ? past_ : through_;
    const float now = static_cast<float>(bytes) / static_cast<float>(nanoseconds + 1);
    rate = rate == 0 ? now : (rate + now) / 2;
  }

 private:
  float through_ = 0, past_ = 0;
  clock::time_point next_trial_{};
};

}  // namespace peal::shm
