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
  src/mpi/collectives/between_groups.cpp \
  src/mpi/collectives/between_groups.hpp \
  src/mpi/collectives/fill.cpp \
  src/mpi/collectives/fill.hpp \
  src/mpi/collectives/group_joining.cpp \
  src/mpi/collectives/group_joining.hpp \
  src/mpi/collectives/joining_calls.cpp \
  src/mpi/collectives/moving_calls.cpp \
  src/mpi/collectives/nonblocking_joining_calls.cpp \
  src/mpi/collectives/nonblocking_moving_calls.cpp \
  src/mpi/collectives/persistent.cpp \
  src/mpi/collectives/persistent.hpp \
  src/mpi/collectives/persistent_joining_calls.cpp \
  src/mpi/collectives/persistent_moving_calls.cpp \
  src/mpi/collectives/work.cpp \
  src/mpi/collectives/work.hpp \
  src/mpi/collectives/work_arguments.cpp \
  src/mpi/collectives/work_between_groups.cpp \
  src/mpi/communicators/communicator.cpp \
  src/mpi/communicators/communicator.hpp \
  src/mpi/communicators/communicator_calls.cpp \
  src/mpi/communicators/copy_calls.cpp \
  src/mpi/communicators/hint_calls.cpp \
  src/mpi/communicators/hints.cpp \
  src/mpi/communicators/hints.hpp \
  src/mpi/communicators/intercommunicator.cpp \
  src/mpi/communicators/intercommunicator.hpp \
  src/mpi/communicators/intercommunicator_calls.cpp \
  src/mpi/communicators/member_tags.hpp \
  src/mpi/communicators/part_calls.cpp \
  src/mpi/communicators/split_type_calls.cpp \
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
  src/mpi/datatypes/packing/piece_list.cpp \
  src/mpi/datatypes/packing/piece_list.hpp \
  src/mpi/datatypes/packing/plan.cpp \
  src/mpi/datatypes/packing/plan.hpp \
  src/mpi/datatypes/packing/plan_builder.cpp \
  src/mpi/datatypes/packing/plan_builder.hpp \
  src/mpi/environment/abi_calls.cpp \
  src/mpi/environment/fortran_abi.cpp \
  src/mpi/environment/fortran_abi.hpp \
  src/mpi/environment/inquiry_calls.cpp \
  src/mpi/environment/integer_calls.cpp \
  src/mpi/environment/memory_calls.cpp \
  src/mpi/environment/process_set.cpp \
  src/mpi/environment/process_set.hpp \
  src/mpi/environment/session.cpp \
  src/mpi/environment/session.hpp \
  src/mpi/environment/session_calls.cpp \
  src/mpi/environment/start_calls.cpp \
  src/mpi/environment/world.cpp \
  src/mpi/environment/world.hpp \
  src/mpi/errors/absent_errhandler_calls.cpp \
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
  src/mpi/neighbors/blocking_calls.cpp \
  src/mpi/neighbors/fill.cpp \
  src/mpi/neighbors/fill.hpp \
  src/mpi/neighbors/nonblocking_calls.cpp \
  src/mpi/neighbors/persistent_calls.cpp \
  src/mpi/operations/kernels.cpp \
  src/mpi/operations/kernels.hpp \
  src/mpi/operations/op.cpp \
  src/mpi/operations/op.hpp \
  src/mpi/operations/op_calls.cpp \
  src/mpi/partitioned/incoming_partitions.cpp \
  src/mpi/partitioned/incoming_partitions.hpp \
  src/mpi/partitioned/partition_setup.cpp \
  src/mpi/partitioned/partition_setup.hpp \
  src/mpi/partitioned/partitioned_calls.cpp \
  src/mpi/partitioned/partitioned_receive.cpp \
  src/mpi/partitioned/partitioned_receive.hpp \
  src/mpi/partitioned/partitioned_send.cpp \
  src/mpi/partitioned/partitioned_send.hpp \
  src/mpi/point_to_point/blocking_calls.cpp \
  src/mpi/point_to_point/buffer_calls.cpp \
  src/mpi/point_to_point/elements.cpp \
  src/mpi/point_to_point/elements.hpp \
  src/mpi/point_to_point/exchange.cpp \
  src/mpi/point_to_point/exchange.hpp \
  src/mpi/point_to_point/exchange_calls.cpp \
  src/mpi/point_to_point/message.cpp \
  src/mpi/point_to_point/message.hpp \
  src/mpi/point_to_point/message_memory.cpp \
  src/mpi/point_to_point/message_memory.hpp \
  src/mpi/point_to_point/nonblocking_calls.cpp \
  src/mpi/point_to_point/persistent_calls.cpp \
  src/mpi/point_to_point/probe_calls.cpp \
  src/mpi/point_to_point/send_buffer.cpp \
  src/mpi/point_to_point/send_buffer.hpp \
  src/mpi/point_to_point/sending.cpp \
  src/mpi/point_to_point/sending.hpp \
  src/mpi/requests/generalized.cpp \
  src/mpi/requests/generalized.hpp \
  src/mpi/requests/generalized_calls.cpp \
  src/mpi/requests/look_calls.cpp \
  src/mpi/requests/request.cpp \
  src/mpi/requests/request.hpp \
  src/mpi/requests/several_calls.cpp \
  src/mpi/requests/single_calls.cpp \
  src/mpi/requests/status_calls.cpp \
  src/mpi/support/cut.hpp \
  src/mpi/support/failure.cpp \
  src/mpi/support/failure.hpp \
  src/mpi/support/function.hpp \
  src/mpi/support/handle_table.hpp \
  src/mpi/support/place.hpp \
  src/mpi/support/status.hpp \
  src/mpi/tools/categories.cpp \
  src/mpi/tools/categories.hpp \
  src/mpi/tools/category_calls.cpp \
  src/mpi/tools/control_variable_calls.cpp \
  src/mpi/tools/control_variables.cpp \
  src/mpi/tools/control_variables.hpp \
  src/mpi/tools/event_calls.cpp \
  src/mpi/tools/performance_variable_calls.cpp \
  src/mpi/tools/performance_variables.cpp \
  src/mpi/tools/performance_variables.hpp \
  src/mpi/tools/tool_calls.cpp \
  src/mpi/tools/tool_function.cpp \
  src/mpi/tools/tool_function.hpp \
  src/mpi/topologies/arrays.hpp \
  src/mpi/topologies/balanced_dims.cpp \
  src/mpi/topologies/balanced_dims.hpp \
  src/mpi/topologies/balanced_dims_calls.cpp \
  src/mpi/topologies/cartesian.cpp \
  src/mpi/topologies/cartesian.hpp \
  src/mpi/topologies/cartesian_calls.cpp \
  src/mpi/topologies/distributed_graph.cpp \
  src/mpi/topologies/distributed_graph.hpp \
  src/mpi/topologies/distributed_graph_calls.cpp \
  src/mpi/topologies/graph.cpp \
  src/mpi/topologies/graph.hpp \
  src/mpi/topologies/graph_calls.cpp \
  src/mpi/topologies/topology.cpp \
  src/mpi/topologies/topology.hpp \
  src/mpi/topologies/topology_communicators.cpp \
  src/mpi/topologies/topology_communicators.hpp \
  src/mpi/unsupported/dynamic_processes.cpp \
  src/mpi/unsupported/files.cpp \
  src/mpi/unsupported/one_sided.cpp \
  src/mpi/unsupported/unsupported.hpp
libmpi_core_la_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS)
libmpi_core_la_LIBADD = $(FMT_LIBS)

lib_LTLIBRARIES += libmpi_abi.la
libmpi_abi_la_SOURCES =
nodist_EXTRA_libmpi_abi_la_SOURCES = force_cxx.cpp
libmpi_abi_la_LIBADD = libmpi_core.la libpeal.la
# In a tree that was moved libpeal lies beside it, where the loader would not look by itself.
libmpi_abi_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -Wl,-Bsymbolic-functions -Wl,-rpath,'$$ORIGIN' \
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
  include/mpi/fortran.h \
  include/mpi/handles.h \
  include/mpi/nonblocking_collectives.h \
  include/mpi/one_sided.h \
  include/mpi/persistent_collectives.h \
  include/mpi/point_to_point.h \
  include/mpi/requests.h \
  include/mpi/tools.h \
  include/mpi/tools_types.h \
  include/mpi/topologies.h

# The compilers' wrappers. In $(libdir)/peal/bin they, and pealrun, have the names that configure scripts look for; who wants
# them there puts that folder into PATH.
bin_SCRIPTS += pealcc pealcxx
CLEANFILES += pealcc pealcxx
EXTRA_DIST += src/mpi/compile/pealcc.in
fill_in_compile = sed -e 's|@compiler[@]|$(1)|' -e 's|@variable[@]|$(2)|g' -e 's|@language[@]|$(3)|' -e 's|@program[@]|$@|' \
  -e 's|@version[@]|$(VERSION)|' -e 's|@include[@]|$(mpidir)|' -e 's|@library[@]|$(libdir)|' \
  -e "s|@include_from_bin[@]|`realpath -ms --relative-to='$(bindir)' '$(mpidir)'`|" \
  -e "s|@library_from_bin[@]|`realpath -ms --relative-to='$(bindir)' '$(libdir)'`|" $(srcdir)/src/mpi/compile/pealcc.in >$@.new && \
  chmod 755 $@.new && mv $@.new $@
pealcc: src/mpi/compile/pealcc.in Makefile
	$(AM_V_GEN)$(call fill_in_compile,$(CC),PEAL_CC,C)
pealcxx: src/mpi/compile/pealcc.in Makefile
	$(AM_V_GEN)$(call fill_in_compile,$(CXX),PEAL_CXX,C++)

aliasdir = $(libdir)/peal/bin
aliases = mpicc:pealcc mpicxx:pealcxx mpic++:pealcxx mpiCC:pealcxx mpirun:pealrun mpiexec:pealrun
.PHONY: install-aliases uninstall-aliases
install-exec-hook: install-aliases
install-aliases:
	$(MKDIR_P) '$(DESTDIR)$(aliasdir)'
	for each in $(aliases); do \
	  ln -sf "`realpath -ms --relative-to='$(aliasdir)' '$(bindir)'`/$${each#*:}" "$(DESTDIR)$(aliasdir)/$${each%:*}" || exit 1; done
uninstall-hook: uninstall-aliases
uninstall-aliases:
	for each in $(aliases); do rm -f "$(DESTDIR)$(aliasdir)/$${each%:*}"; done
	-rmdir '$(DESTDIR)$(aliasdir)' '$(DESTDIR)$(libdir)/peal' 2>/dev/null
