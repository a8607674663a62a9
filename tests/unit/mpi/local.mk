check_PROGRAMS += tests/unit/mpi_test
tests_unit_mpi_test_SOURCES = \
  tests/unit/mpi/support/handle_table_test.cpp
tests_unit_mpi_test_CPPFLAGS = $(unit_cppflags)
tests_unit_mpi_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_mpi_test_LDADD = libmpi_core.la $(unit_ldadd)

# A program of its own: it has stand-ins for error handlers and communicators.
check_PROGRAMS += tests/unit/mpi_datatypes_test
tests_unit_mpi_datatypes_test_SOURCES = \
  tests/unit/mpi/datatypes/comparison.hpp \
  tests/unit/mpi/datatypes/constructors/arrays_test.cpp \
  tests/unit/mpi/datatypes/constructors/constructors_test.cpp \
  tests/unit/mpi/datatypes/constructors/parameterized_test.cpp \
  tests/unit/mpi/datatypes/constructors/predefined_test.cpp \
  tests/unit/mpi/datatypes/datatype_test.cpp \
  tests/unit/mpi/datatypes/definition_test.cpp \
  tests/unit/mpi/datatypes/expect_failure.hpp \
  tests/unit/mpi/datatypes/functions/arrays_test.cpp \
  tests/unit/mpi/datatypes/functions/constructors_test.cpp \
  tests/unit/mpi/datatypes/functions/contents_test.cpp \
  tests/unit/mpi/datatypes/functions/elements_test.cpp \
  tests/unit/mpi/datatypes/functions/handles_test.cpp \
  tests/unit/mpi/datatypes/functions/packing_test.cpp \
  tests/unit/mpi/datatypes/functions/parameterized_test.cpp \
  tests/unit/mpi/datatypes/functions/sizes_test.cpp \
  tests/unit/mpi/datatypes/layouts/elements_test.cpp \
  tests/unit/mpi/datatypes/layouts/layout_test.cpp \
  tests/unit/mpi/datatypes/packing/external32_test.cpp \
  tests/unit/mpi/datatypes/packing/packing_test.cpp \
  tests/unit/mpi/datatypes/packing/plan_test.cpp \
  tests/unit/mpi/datatypes/stand_ins.cpp \
  tests/unit/mpi/datatypes/typemap.hpp
tests_unit_mpi_datatypes_test_CPPFLAGS = $(unit_cppflags)
tests_unit_mpi_datatypes_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_mpi_datatypes_test_LDADD = libmpi_core.la $(unit_ldadd)
