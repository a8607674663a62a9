# libmpi_abi: MPI's C interface over libpeal. Tests link the convenience library, where every name is to be seen.
noinst_LTLIBRARIES += libmpi_core.la
libmpi_core_la_SOURCES = \
  src/mpi/attributes/attribute_calls.hpp \
  src/mpi/attributes/attributes.cpp \
  src/mpi/attributes/attributes.hpp \
  src/mpi/attributes/comm_attribute_calls.cpp \
  src/mpi/attributes/keyval.cpp \
  src/mpi/attributes/keyval.hpp \
  src/mpi/attributes/owners.cpp \
  src/mpi/attributes/owners.hpp \
  src/mpi/attributes/predefined_attributes.cpp \
  src/mpi/attributes/predefined_attributes.hpp \
  src/mpi/attributes/type_attribute_calls.cpp \
  src/mpi/communicators/communicator.hpp \
  src/mpi/environment/session.hpp \
  src/mpi/environment/world.hpp \
  src/mpi/errors/class_texts.cpp \
  src/mpi/errors/class_texts.hpp \
  src/mpi/errors/errhandler.cpp \
  src/mpi/errors/errhandler.hpp \
  src/mpi/errors/errhandler_calls.cpp \
  src/mpi/errors/error_code_calls.cpp \
  src/mpi/errors/error_codes.cpp \
  src/mpi/errors/error_codes.hpp \
  src/mpi/errors/handling.cpp \
  src/mpi/errors/handling.hpp \
  src/mpi/errors/thrown.cpp \
  src/mpi/errors/thrown.hpp \
  src/mpi/groups/group.cpp \
  src/mpi/groups/group.hpp \
  src/mpi/groups/group_calls.cpp \
  src/mpi/groups/group_sets.cpp \
  src/mpi/groups/group_sets.hpp \
  src/mpi/groups/group_table.cpp \
  src/mpi/groups/group_table.hpp \
  src/mpi/groups/set_calls.cpp \
  src/mpi/info/env_info.cpp \
  src/mpi/info/env_info.hpp \
  src/mpi/info/info.cpp \
  src/mpi/info/info.hpp \
  src/mpi/info/info_calls.cpp \
  src/mpi/support/cut.hpp \
  src/mpi/support/failure.cpp \
  src/mpi/support/failure.hpp \
  src/mpi/support/function.hpp \
  src/mpi/support/handle_table.hpp \
  src/mpi/support/status.hpp \
  src/mpi/topologies/balanced_dims.cpp \
  src/mpi/topologies/balanced_dims.hpp \
  src/mpi/topologies/balanced_dims_calls.cpp \
  src/mpi/topologies/cartesian.cpp \
  src/mpi/topologies/cartesian.hpp
libmpi_core_la_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS)
libmpi_core_la_LIBADD = $(FMT_LIBS)

lib_LTLIBRARIES += libmpi_abi.la
libmpi_abi_la_SOURCES =
nodist_EXTRA_libmpi_abi_la_SOURCES = force_cxx.cpp
libmpi_abi_la_LIBADD = libmpi_core.la libpeal.la
libmpi_abi_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -Wl,-Bsymbolic-functions \
  -Wl,--version-script=$(srcdir)/src/mpi/libmpi_abi.map
EXTRA_libmpi_abi_la_DEPENDENCIES = src/mpi/libmpi_abi.map
EXTRA_DIST += src/mpi/libmpi_abi.map

# Other implementations of MPI may be installed, so the header has a folder of its own.
mpidir = $(includedir)/peal-mpi
mpi_HEADERS = include/mpi.h
mpipartsdir = $(mpidir)/mpi
mpiparts_HEADERS = \
  include/mpi/attributes.h \
  include/mpi/callbacks.h \
  include/mpi/collectives.h \
  include/mpi/communicators.h \
  include/mpi/constants.h \
  include/mpi/datatypes.h \
  include/mpi/dynamic_processes.h \
  include/mpi/environment.h \
  include/mpi/files.h \
  include/mpi/handles.h \
  include/mpi/nonblocking_collectives.h \
  include/mpi/one_sided.h \
  include/mpi/persistent_collectives.h \
  include/mpi/point_to_point.h \
  include/mpi/requests.h \
  include/mpi/tools.h \
  include/mpi/tools_types.h \
  include/mpi/topologies.h
