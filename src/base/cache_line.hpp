// base/cache_line.hpp
// The unit in which cores pass memory to each other.
//
// Layer    base.
#pragma once

#include <cstddef>

namespace peal {

/// Bytes. A constant, since structures in shared memory are laid out by it and every process of a
/// node must agree.
inline constexpr std::size_t cache_line = 64;

/// One turn of a wait loop that does not give the core away.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace peal
