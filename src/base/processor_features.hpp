// base/processor_features.hpp
// What this processor can do. The C library has asked it already; where that tells, nothing is
// asked again: the instruction for it (cpuid) costs microseconds in a virtual machine, and the
// compiler's own list of features asks two dozen times before main begins.
//
// Layer    base.
// Threads  any.
// Errors   none.
// Source   sys/platform/x86.h of glibc 2.33; Intel SDM, CPUID.80000007H:EDX[8] (invariant TSC).
#pragma once

#if defined(__x86_64__)

#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#else
#include <cpuid.h>
#endif

namespace peal {

#if __has_include(<sys/platform/x86.h>)
inline bool has_avx() noexcept { return CPU_FEATURE_ACTIVE(AVX); }
inline bool has_avx2() noexcept { return CPU_FEATURE_ACTIVE(AVX2); }
inline bool has_bmi2() noexcept { return CPU_FEATURE_ACTIVE(BMI2); }
inline bool has_avx512f() noexcept { return CPU_FEATURE_ACTIVE(AVX512F); }
inline bool has_avx512bw() noexcept { return CPU_FEATURE_ACTIVE(AVX512BW); }
inline bool has_avx512dq() noexcept { return CPU_FEATURE_ACTIVE(AVX512DQ); }
inline bool has_avx512vl() noexcept { return CPU_FEATURE_ACTIVE(AVX512VL); }
inline bool counts_evenly() noexcept { return CPU_FEATURE_PRESENT(INVARIANT_TSC); }
#else
inline bool has_avx() noexcept { return __builtin_cpu_supports("avx"); }
inline bool has_avx2() noexcept { return __builtin_cpu_supports("avx2"); }
inline bool has_bmi2() noexcept { return __builtin_cpu_supports("bmi2"); }
inline bool has_avx512f() noexcept { return __builtin_cpu_supports("avx512f"); }
inline bool has_avx512bw() noexcept { return __builtin_cpu_supports("avx512bw"); }
inline bool has_avx512dq() noexcept { return __builtin_cpu_supports("avx512dq"); }
inline bool has_avx512vl() noexcept { return __builtin_cpu_supports("avx512vl"); }
inline bool counts_evenly() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
}
#endif

}  // namespace peal

#endif
