check_PROGRAMS += tests/unit/simulator_test
tests_unit_simulator_test_SOURCES = \
  tests/unit/simulator/questions.hpp \
  tests/unit/simulator/unit.cpp
tests_unit_simulator_test_CPPFLAGS = $(unit_cppflags)
tests_unit_simulator_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_simulator_test_LDADD = libpeal_simulator.la $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/simulator/agreement_test.cpp \
  tests/unit/simulator/fabric_test.cpp \
  tests/unit/simulator/forecast_test.cpp \
  tests/unit/simulator/shape_test.cpp \
  tests/unit/simulator/simulation_test.cpp
