libpeal_core_la_SOURCES += \
  src/memory/node_heap.cpp \
  src/memory/node_heap.hpp \
  src/memory/node_segment.cpp \
  src/memory/node_segment.hpp
