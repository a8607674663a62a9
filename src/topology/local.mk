libpeal_core_la_SOURCES += \
  src/topology/crowd.cpp \
  src/topology/crowd.hpp \
  src/topology/machine.cpp \
  src/topology/machine.hpp
