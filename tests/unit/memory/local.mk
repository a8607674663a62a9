check_PROGRAMS += tests/unit/memory_test
tests_unit_memory_test_SOURCES = \
  tests/unit/memory/leaving_memory.hpp \
  tests/unit/memory/unit.cpp
tests_unit_memory_test_CPPFLAGS = $(unit_cppflags)
tests_unit_memory_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_memory_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/memory/aarch64/instructions_test.cpp \
  tests/unit/memory/code_patch_test.cpp \
  tests/unit/memory/loaded_code_test.cpp \
  tests/unit/memory/node_heap_test.cpp \
  tests/unit/memory/node_segment_test.cpp \
  tests/unit/memory/preferred_numa_test.cpp \
  tests/unit/memory/unmap_hooks_test.cpp \
  tests/unit/memory/unmap_log_test.cpp \
  tests/unit/memory/unmap_self_test_test.cpp
