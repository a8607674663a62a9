// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/memory/aarch64_code_test.cpp"
#include "unit/memory/code_patch_test.cpp"
#include "unit/memory/node_heap_test.cpp"
#include "unit/memory/node_segment_test.cpp"
#include "unit/memory/preferred_numa_test.cpp"
#include "unit/memory/unmap_hooks_test.cpp"
#include "unit/memory/unmap_log_test.cpp"
#include "unit/memory/unmap_self_test_test.cpp"
