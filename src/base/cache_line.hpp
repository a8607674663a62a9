// base/cache_line.hpp
// The unit in which cores pass memory to each other.
//
// Layer    base.
#pragma once

#include <cstddef>

namespace peal {

/// Bytes. A constant, since structures in shared memory are laid out by it and every process of a node must agree.
inline constexpr std::size_t cache_line = 64;

/// Fetches a line that will be written, and takes it away from the other cores.
inline void prefetch_for_writing(const void* line) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));  // the builtin means it only with -mprfchw
#else
  __builtin_prefetch(line, 1);
#endif
}

/// One turn of a wait loop that does not give the core away.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace peal
