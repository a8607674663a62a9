// record/wait_clock.hpp
// How long a call of the program waits. Most waits of a program that exchanges short messages are
// over after a few looks, and to read the clock twice would cost a part of that. So the clock is
// read once a wait has looked in vain for some time, and then at its end; what comes before is
// taken from the calls that are timed.
//
// Layer    record: may include base/.
// Units    ticks of base/timing/ticks.hpp.
// Threads  that of the call.
// Errors   none.
#pragma once

#include <cstdint>

#include "record/call_scope.hpp"

namespace peal::record {

class wait_clock {
 public:
  /// `spins`: whether looks in vain follow each other at once.
  wait_clock(recorder& in, bool spins) noexcept
      : in_{in}, of_{call_scope::innermost}, left_{spins ? first_looks : 1} {
    if (of_ != nullptr && of_->began_ != 0) began_ = read();
  }
  ~wait_clock() {
    if ((began_ | late_) != 0) [[unlikely]]
      end();
  }
  wait_clock(const wait_clock&) = delete;
  wait_clock& operator=(const wait_clock&) = delete;

  /// What is waited for has not come yet.
  void in_vain() noexcept {
    if (left_ != 0 && --left_ == 0 && of_ != nullptr) [[unlikely]]
      late_ = read();
  }

 private:
  // Each is four turns of a loop that spins: so this is a microsecond or two, after which a wait
  // reads a clock in any case (progress/wait_policy.hpp).
  static constexpr std::uint32_t first_looks = 16;

  /// Ticks, less what was spent on copies, so that these do not count as waiting.
  [[nodiscard]] std::uint64_t read() const noexcept {
    return ticks() - in_.copied_.load(std::memory_order_relaxed);  // relaxed: a sum
  }
  void end() noexcept {
    in_.seen(ticks());
    const std::uint64_t now = read();
    if (began_ != 0) of_->waited_ += now - began_;
    if (late_ != 0) of_->tail_ += now - late_;
  }

  recorder& in_;
  call_scope* const of_;
  std::uint32_t left_;
  std::uint64_t began_ = 0, late_ = 0;
};

}  // namespace peal::record
