#include "base/timing/ticks.hpp"

#if defined(__x86_64__)
#include "base/processor_features.hpp"

namespace peal {

// Not inline, since copies that the linker may choose among must not stand in kernels that are
// compiled for other processors.
const bool counter_is_clock = counts_evenly();

}  // namespace peal
#endif
