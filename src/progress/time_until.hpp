// progress/time_until.hpp
// Times as ppoll and timerfd_settime take them.
//
// Layer    progress.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace peal {

/// Nothing, when it is negative.
inline timespec time_of(std::chrono::nanoseconds left) noexcept {
  const auto positive = std::max<std::int64_t>(left.count(), 0);
  return {positive / 1'000'000'000, positive % 1'000'000'000};
}

/// What is left until then; nothing, when it has passed.
inline timespec time_until(std::chrono::steady_clock::time_point until) noexcept {
  return time_of(until - std::chrono::steady_clock::now());
}

}  // namespace peal
