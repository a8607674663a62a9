// The kernels for processors with AVX2.
#include <cstdint>

#include "collective/kernels/kernels.hpp"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang fp contract(off)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC optimize("O3", "fp-contract=off")
#pragma GCC target("avx2,no-fma,no-avx512f")  // as in baseline.cpp
#endif
#define PEAL_KERNELS avx2
#include "collective/kernels/body.hpp"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
