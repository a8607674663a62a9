#include "base/timing/ticks.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

namespace peal {

namespace {

bool counts_evenly() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
}

}  // namespace

// Not inline, since copies that the linker may choose among must not stand in kernels that are
// compiled for other processors.
const bool counter_is_clock = counts_evenly();

}  // namespace peal
#endif
