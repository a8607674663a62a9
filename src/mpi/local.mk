# libmpi_abi: MPI's C interface over libpeal. Tests link the convenience library, where every name is to be seen.
noinst_LTLIBRARIES += libmpi_core.la
libmpi_core_la_SOURCES = \
  src/mpi/communicators/communicator.hpp \
  src/mpi/datatypes/constructors/arrays.cpp \
  src/mpi/datatypes/constructors/arrays.hpp \
  src/mpi/datatypes/constructors/constructors.cpp \
  src/mpi/datatypes/constructors/constructors.hpp \
  src/mpi/datatypes/constructors/parameterized.cpp \
  src/mpi/datatypes/constructors/parameterized.hpp \
  src/mpi/datatypes/constructors/predefined.cpp \
  src/mpi/datatypes/constructors/predefined.hpp \
  src/mpi/datatypes/contents.hpp \
  src/mpi/datatypes/datatype.cpp \
  src/mpi/datatypes/datatype.hpp \
  src/mpi/datatypes/definition.cpp \
  src/mpi/datatypes/definition.hpp \
  src/mpi/datatypes/functions/arguments.hpp \
  src/mpi/datatypes/functions/arrays.cpp \
  src/mpi/datatypes/functions/constructors.cpp \
  src/mpi/datatypes/functions/contents.cpp \
  src/mpi/datatypes/functions/elements.cpp \
  src/mpi/datatypes/functions/handles.cpp \
  src/mpi/datatypes/functions/packing.cpp \
  src/mpi/datatypes/functions/parameterized.cpp \
  src/mpi/datatypes/functions/sizes.cpp \
  src/mpi/datatypes/layouts/basic_type.hpp \
  src/mpi/datatypes/layouts/checked.hpp \
  src/mpi/datatypes/layouts/elements.cpp \
  src/mpi/datatypes/layouts/elements.hpp \
  src/mpi/datatypes/layouts/layout.cpp \
  src/mpi/datatypes/layouts/layout.hpp \
  src/mpi/datatypes/packing/copy_pieces.hpp \
  src/mpi/datatypes/packing/external32.cpp \
  src/mpi/datatypes/packing/external32.hpp \
  src/mpi/datatypes/packing/packing.cpp \
  src/mpi/datatypes/packing/packing.hpp \
  src/mpi/datatypes/packing/plan.cpp \
  src/mpi/datatypes/packing/plan.hpp \
  src/mpi/datatypes/packing/plan_builder.cpp \
  src/mpi/datatypes/packing/plan_builder.hpp \
  src/mpi/support/failure.cpp \
  src/mpi/support/failure.hpp \
  src/mpi/support/function.hpp \
  src/mpi/support/handle_table.hpp \
  src/mpi/support/status.hpp
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
