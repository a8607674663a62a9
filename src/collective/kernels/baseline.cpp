// The kernels for any processor. FP contraction is off here and in the other files, so that all of them compute the same bits.
#include <cstdint>

#include "collective/kernels/kernels.hpp"

#pragma GCC optimize("O3", "fp-contract=off")
#define PEAL_KERNELS baseline
#include "collective/kernels/body.hpp"
