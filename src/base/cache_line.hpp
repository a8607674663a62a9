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

/// Fetches the line of `where` to be written: no other core has it then. The builtin for that is no
/// help for x86, where a compiler that may not take every processor for granted makes an ordinary
/// fetch of it. After that one the other core keeps the line, too, and the store waits for it to be
/// taken away there. Processors that do not know the instruction do nothing.
inline void fetch_to_write(const void* where) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(where)));
#else
  __builtin_prefetch(where, 1);
#endif
}

}  // namespace peal
