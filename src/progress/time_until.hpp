// progress/time_until.hpp
// A point in time as ppoll and timerfd_settime take it: what is left until then.
//
// Layer    progress.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace peal {

/// Nothing, when it has passed.
inline timespec time_until(std::chrono::steady_clock::time_point until) noexcept {
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now()).count();
  const auto positive = std::max<std::int64_t>(left, 0);
  return {positive / 1'000'000'000, positive % 1'000'000'000};
}

}  // namespace peal
