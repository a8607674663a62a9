# Not part of libpeal: peal-sim and the unit tests link it.
noinst_LTLIBRARIES += libpeal_simulator.la
libpeal_simulator_la_SOURCES = \
  src/simulator/amount.hpp \
  src/simulator/event_simulation.hpp \
  src/simulator/fabric.hpp \
  src/simulator/forecast.hpp \
  src/simulator/machine.hpp \
  src/simulator/shape.hpp \
  src/simulator/simulation.hpp \
  src/simulator/unit.cpp
EXTRA_DIST += \
  src/simulator/amount.cpp \
  src/simulator/fabric.cpp \
  src/simulator/forecast.cpp \
  src/simulator/machine.cpp \
  src/simulator/shape.cpp \
  src/simulator/simulation.cpp
