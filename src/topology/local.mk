libpeal_core_la_SOURCES += \
  src/topology/machine.cpp \
  src/topology/machine.hpp
