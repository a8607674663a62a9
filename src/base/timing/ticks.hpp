// base/timing/ticks.hpp
// A clock for what is timed very often: the processor's counter where that runs evenly, which costs
// a third of a system clock's read, else the steady clock.
//
// Layer    base.
// Units    ticks; two pairs of ticks and nanoseconds say how long one is.
// Source   Intel SDM 18.17.4 (invariant TSC, CPUID.80000007H:EDX[8]).
#pragma once

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace peal {

inline std::int64_t nanoseconds() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
}

#if defined(__x86_64__)
/// Set before main begins.
extern const bool counter_is_clock;
inline std::uint64_t ticks() noexcept {
  return counter_is_clock ? __rdtsc() : static_cast<std::uint64_t>(nanoseconds());
}
#elif defined(__aarch64__)
inline std::uint64_t ticks() noexcept {
  std::uint64_t value = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
#else
inline std::uint64_t ticks() noexcept { return static_cast<std::uint64_t>(nanoseconds()); }
#endif

}  // namespace peal
