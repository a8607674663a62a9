// The kernels for processors with AVX2.
#include <cstdint>

#include "collective/kernels/kernels.hpp"

#if defined(__x86_64__)
#pragma GCC optimize("O3", "fp-contract=off")
#pragma GCC target("avx2")
#define PEAL_KERNELS avx2
#include "collective/kernels/body.hpp"
#endif
