# The API as one process sees it.
check_PROGRAMS += tests/unit/api_test
tests_unit_api_test_SOURCES = \
  tests/unit/api/unit.cpp
tests_unit_api_test_CPPFLAGS = $(unit_cppflags)
tests_unit_api_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_api_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/api/job_of_one_test.cpp \
  tests/unit/api/data/serialization_test.cpp \
  tests/unit/api/topology_test.cpp \
  tests/unit/api/data/view_test.cpp
