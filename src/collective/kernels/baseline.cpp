// The kernels for any processor. FP contraction is off here and in the other files, so that all of
// them compute the same bits.
#include <cstdint>

#include "collective/kernels/kernels.hpp"

#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC optimize("O3", "fp-contract=off")
#if defined(__x86_64__)
#pragma GCC target("no-fma,no-avx512f")  // g++ fuses complex products, whatever fp-contract says,
                                         // where -march allows it
#endif
#endif
#define PEAL_KERNELS baseline
#include "collective/kernels/body.hpp"
