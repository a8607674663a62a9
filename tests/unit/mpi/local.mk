check_PROGRAMS += tests/unit/mpi_test
tests_unit_mpi_test_SOURCES = \
  tests/unit/mpi/support/handle_table_test.cpp
tests_unit_mpi_test_CPPFLAGS = $(unit_cppflags)
tests_unit_mpi_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_mpi_test_LDADD = libmpi_core.la $(unit_ldadd)
