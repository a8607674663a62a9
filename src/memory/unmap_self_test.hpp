// memory/unmap_self_test.hpp
// Tries whether what the C library and the allocator of this program give back to the kernel comes
// into the log.
//
// Layer    memory: may include base/.
// Threads  any, one at a time.
#pragma once

#include <string>

namespace peal {

class unmap_log;

/// Empty when everything was seen. Otherwise what was not, or what could not be told: whether
/// memory has gone is asked of mincore.
std::string try_unmap_hooks(const unmap_log&);

}  // namespace peal
