libpeal_core_la_SOURCES += \
  src/memory/aarch64/instructions.hpp \
  src/memory/code_patch.hpp \
  src/memory/loaded_code.hpp \
  src/memory/node_heap.hpp \
  src/memory/node_segment.hpp \
  src/memory/preferred_numa.hpp \
  src/memory/segment_layout.hpp \
  src/memory/unmap_hooks.hpp \
  src/memory/unmap_log.hpp \
  src/memory/unmap_self_test.hpp
if UNITS
libpeal_core_la_SOURCES += src/memory/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/memory/code_patch.cpp \
  src/memory/aarch64/code_patch.cpp \
  src/memory/loaded_code.cpp \
  src/memory/node_heap.cpp \
  src/memory/node_segment.cpp \
  src/memory/preferred_numa.cpp \
  src/memory/unmap_hooks.cpp \
  src/memory/unmap_log.cpp \
  src/memory/unmap_self_test.cpp
endif
