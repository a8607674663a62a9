check_PROGRAMS += tests/unit/topology_test
tests_unit_topology_test_SOURCES = \
  tests/unit/topology/unit.cpp
tests_unit_topology_test_CPPFLAGS = $(unit_cppflags)
tests_unit_topology_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_topology_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/topology/core_sharing_test.cpp \
  tests/unit/topology/core_time_test.cpp \
  tests/unit/topology/distances_test.cpp \
  tests/unit/topology/machine_test.cpp \
  tests/unit/topology/processor_test.cpp \
  tests/unit/topology/rank_groups_test.cpp
