libpeal_core_la_SOURCES += \
  src/topology/core_sharing.cpp \
  src/topology/core_sharing.hpp \
  src/topology/core_time.cpp \
  src/topology/core_time.hpp \
  src/topology/distances.cpp \
  src/topology/distances.hpp \
  src/topology/machine.cpp \
  src/topology/machine.hpp \
  src/topology/processor.cpp \
  src/topology/processor.hpp \
  src/topology/rank_groups.cpp \
  src/topology/rank_groups.hpp
