#include "base/copy.hpp"

#include "base/processor_features.hpp"
#include "base/timing/copy_time.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace peal {

#if defined(__x86_64__)

namespace {

template <class Vector>
[[gnu::always_inline]] inline void copy_by(void* to, const void* from, std::size_t bytes) noexcept {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  for (; bytes >= 4 * sizeof(Vector);
       bytes -= 4 * sizeof(Vector), target += 4 * sizeof(Vector), source += 4 * sizeof(Vector)) {
    // By memcpy, since they lie at any address. A vector type with an alignment of 1 loses that as
    // a template's argument, and Clang then takes aligned moves.
    Vector a, b, c, d;
    std::memcpy(&a, source, sizeof a);
    std::memcpy(&b, source + sizeof a, sizeof b);
    std::memcpy(&c, source + 2 * sizeof a, sizeof c);
    std::memcpy(&d, source + 3 * sizeof a, sizeof d);
    std::memcpy(target, &a, sizeof a);
    std::memcpy(target + sizeof a, &b, sizeof b);
    std::memcpy(target + 2 * sizeof a, &c, sizeof c);
    std::memcpy(target + 3 * sizeof a, &d, sizeof d);
  }
  if (bytes > 0) std::memcpy(target, source, bytes);
}

using vector_32 = long long __attribute__((vector_size(32)));
using vector_64 = long long __attribute__((vector_size(64)));

[[gnu::target("avx")]] void copy_avx(void* to, const void* from, std::size_t bytes) noexcept {
  copy_by<vector_32>(to, from, bytes);
}
[[gnu::target("avx512f")]] void copy_avx512(void* to, const void* from,
                                            std::size_t bytes) noexcept {
  copy_by<vector_64>(to, from, bytes);
}
void copy_any(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

bool made_by_amd() noexcept {
  unsigned highest = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0, &highest, &b, &c, &d) != 0 && b == signature_AMD_ebx &&
         c == signature_AMD_ecx && d == signature_AMD_edx;
}

}  // namespace

void copy_wide(void* to, const void* from, std::size_t bytes) noexcept {
  static auto* const best = has_avx512f() ? copy_avx512 : has_avx() ? copy_avx : copy_any;
  const copy_time noted{bytes};
  best(to, from, bytes);
}

bool can_copy_past_caches() noexcept {
  static const bool can = has_avx();
  return can;
}

bool past_caches_pays() noexcept {
  static const bool pays = made_by_amd() && can_copy_past_caches();
  return pays;
}

[[gnu::target("avx")]] void copy_past_caches(void* to, const void* from,
                                             std::size_t bytes) noexcept {
  const copy_time noted{bytes};
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  for (; bytes >= 32; bytes -= 32, target += 32, source += 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source)));
  if (bytes > 0) std::memcpy(target, source, bytes);
  _mm_sfence();  // non-temporal stores are not ordered with those that follow
}

#else

void copy_wide(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

bool can_copy_past_caches() noexcept { return false; }

bool past_caches_pays() noexcept { return false; }

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

#endif

}  // namespace peal
