check_PROGRAMS += tests/unit/mpi_test
tests_unit_mpi_test_SOURCES = \
  tests/unit/mpi/attributes/attributes_test.cpp \
  tests/unit/mpi/attributes/comm_attribute_calls_test.cpp \
  tests/unit/mpi/attributes/keyval_test.cpp \
  tests/unit/mpi/attributes/predefined_attributes_test.cpp \
  tests/unit/mpi/attributes/type_attribute_calls_test.cpp \
  tests/unit/mpi/environment/fortran_abi_test.cpp \
  tests/unit/mpi/errors/absent_errhandler_calls_test.cpp \
  tests/unit/mpi/collectives/group_joining_test.cpp \
  tests/unit/mpi/communicators/hints_test.cpp \
  tests/unit/mpi/communicators/member_tags_test.cpp \
  tests/unit/mpi/environment/process_set_test.cpp \
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
  tests/unit/mpi/partitioned/partition_setup_test.cpp \
  tests/unit/mpi/requests/generalized_test.cpp \
  tests/unit/mpi/support/cut_test.cpp \
  tests/unit/mpi/support/failure_test.cpp \
  tests/unit/mpi/support/failures.hpp \
  tests/unit/mpi/support/handle_table_test.cpp \
  tests/unit/mpi/support/modelled_objects.cpp \
  tests/unit/mpi/support/modelled_objects.hpp \
  tests/unit/mpi/tools/categories_test.cpp \
  tests/unit/mpi/tools/control_variables_test.cpp \
  tests/unit/mpi/tools/tool_function_test.cpp \
  tests/unit/mpi/topologies/arrays_test.cpp \
  tests/unit/mpi/topologies/balanced_dims_calls_test.cpp \
  tests/unit/mpi/topologies/balanced_dims_test.cpp \
  tests/unit/mpi/topologies/cartesian_test.cpp \
  tests/unit/mpi/topologies/graph_test.cpp \
  tests/unit/mpi/topologies/topology_test.cpp
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
  tests/unit/mpi/datatypes/packing/piece_list_test.cpp \
  tests/unit/mpi/datatypes/packing/plan_test.cpp \
  tests/unit/mpi/datatypes/stand_ins.cpp \
  tests/unit/mpi/datatypes/typemap.hpp
tests_unit_mpi_datatypes_test_CPPFLAGS = $(unit_cppflags)
tests_unit_mpi_datatypes_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_mpi_datatypes_test_LDADD = libmpi_core.la $(unit_ldadd)
