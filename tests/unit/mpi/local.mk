check_PROGRAMS += tests/unit/mpi_test
tests_unit_mpi_test_SOURCES = \
  tests/unit/mpi/attributes/attributes_test.cpp \
  tests/unit/mpi/attributes/comm_attribute_calls_test.cpp \
  tests/unit/mpi/attributes/keyval_test.cpp \
  tests/unit/mpi/attributes/predefined_attributes_test.cpp \
  tests/unit/mpi/attributes/type_attribute_calls_test.cpp \
  tests/unit/mpi/errors/class_texts_test.cpp \
  tests/unit/mpi/errors/errhandler_calls_test.cpp \
  tests/unit/mpi/errors/errhandler_test.cpp \
  tests/unit/mpi/errors/error_code_calls_test.cpp \
  tests/unit/mpi/errors/error_codes_test.cpp \
  tests/unit/mpi/errors/handling_test.cpp \
  tests/unit/mpi/errors/thrown_test.cpp \
  tests/unit/mpi/groups/group_calls_test.cpp \
  tests/unit/mpi/groups/group_sets_test.cpp \
  tests/unit/mpi/groups/group_table_test.cpp \
  tests/unit/mpi/groups/group_test.cpp \
  tests/unit/mpi/groups/set_calls_test.cpp \
  tests/unit/mpi/info/env_info_test.cpp \
  tests/unit/mpi/info/info_calls_test.cpp \
  tests/unit/mpi/info/info_test.cpp \
  tests/unit/mpi/support/cut_test.cpp \
  tests/unit/mpi/support/failures.hpp \
  tests/unit/mpi/support/handle_table_test.cpp \
  tests/unit/mpi/support/modelled_objects.cpp \
  tests/unit/mpi/support/modelled_objects.hpp \
  tests/unit/mpi/topologies/balanced_dims_calls_test.cpp \
  tests/unit/mpi/topologies/balanced_dims_test.cpp \
  tests/unit/mpi/topologies/cartesian_test.cpp
tests_unit_mpi_test_CPPFLAGS = $(unit_cppflags)
tests_unit_mpi_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_mpi_test_LDADD = libmpi_core.la $(unit_ldadd)
