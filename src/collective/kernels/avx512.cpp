// The kernels for processors with AVX-512 (F, BW, DQ, VL). Vectors of 64 bytes: these kernels move
// memory, and where the cores that have the instructions once slowed down for them, they do so for
// heavy multiplication only.
#include <cstdint>

#include "collective/kernels/kernels.hpp"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang fp contract(off)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), \
                             apply_to = function)
#else
#pragma GCC optimize("O3", "fp-contract=off")
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#define PEAL_KERNELS avx512
// g++ 12 makes fused multiply-add of complex products here, whatever fp-contract says, and the bits
// would differ from those of other ranks.
#define PEAL_COMPLEX_PRODUCTS avx2
#include "collective/kernels/body.hpp"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
