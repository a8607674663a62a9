// The sources of this folder, compiled as one where the library is built in units (configure
// --enable-units).
#include "memory/aarch64/code_patch.cpp"
#include "memory/code_patch.cpp"
#include "memory/loaded_code.cpp"
#include "memory/node_heap.cpp"
#include "memory/node_segment.cpp"
#include "memory/preferred_numa.cpp"
#include "memory/unmap_hooks.cpp"
#include "memory/unmap_log.cpp"
#include "memory/unmap_self_test.cpp"
