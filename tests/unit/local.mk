check_PROGRAMS += tests/unit/base_test
tests_unit_base_test_SOURCES = \
  tests/unit/base/variables_test.cpp \
  tests/unit/base/copy_test.cpp \
  tests/unit/base/error_text_test.cpp \
  tests/unit/base/on_demand/shared_library_test.cpp \
  tests/unit/base/value_types_test.cpp
tests_unit_base_test_CPPFLAGS = $(unit_cppflags)
tests_unit_base_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_base_test_LDADD = $(unit_ldadd)

include tests/unit/api/local.mk
include tests/unit/bootstrap/local.mk
include tests/unit/collective/local.mk
include tests/unit/collective/direct/local.mk
include tests/unit/comm/local.mk
include tests/unit/launcher/local.mk
include tests/unit/memory/local.mk
include tests/unit/mpi/local.mk
include tests/unit/p2p/local.mk
include tests/unit/progress/local.mk
include tests/unit/record/local.mk
include tests/unit/simulator/local.mk
include tests/unit/state/local.mk
include tests/unit/topology/local.mk
include tests/unit/transport/local.mk
