#include "base/copy.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace peal {

#if defined(__x86_64__)

bool past_caches_pays() noexcept {
  static const bool pays = __builtin_cpu_is("amd") && __builtin_cpu_supports("avx");
  return pays;
}

[[gnu::target("avx")]] void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  for (; bytes >= 32; bytes -= 32, target += 32, source += 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source)));
  if (bytes > 0) std::memcpy(target, source, bytes);
  _mm_sfence();  // non-temporal stores are not ordered with those that follow
}

#else

bool past_caches_pays() noexcept { return false; }

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept { std::memcpy(to, from, bytes); }

#endif

}  // namespace peal
