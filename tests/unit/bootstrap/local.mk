check_PROGRAMS += tests/unit/bootstrap_test
tests_unit_bootstrap_test_SOURCES = \
  tests/unit/bootstrap/unit.cpp
tests_unit_bootstrap_test_CPPFLAGS = $(unit_cppflags)
tests_unit_bootstrap_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_bootstrap_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/bootstrap/client_test.cpp \
  tests/unit/bootstrap/deaths_test.cpp \
  tests/unit/bootstrap/owner_test.cpp \
  tests/unit/bootstrap/pmix_library_test.cpp \
  tests/unit/bootstrap/start_host_test.cpp \
  tests/unit/bootstrap/start_layout_test.cpp \
  tests/unit/bootstrap/start_member_test.cpp
