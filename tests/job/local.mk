# Real jobs under pealrun: programs that check themselves, and the runner with its cases.
check_PROGRAMS += \
  tests/job/absent \
  tests/job/allocations \
  tests/job/arguments \
  tests/job/bursts \
  tests/job/collectives \
  tests/job/communicators \
  tests/job/computing \
  tests/job/death \
  tests/job/direct \
  tests/job/doorbells \
  tests/job/ends \
  tests/job/flood \
  tests/job/huge \
  tests/job/incast \
  tests/job/learning \
  tests/job/left \
  tests/job/lost_link \
  tests/job/messages \
  tests/job/mpi_collectives \
  tests/job/mpi_derived \
  tests/job/mpi_hints \
  tests/job/mpi_intercommunicators \
  tests/job/mpi_members \
  tests/job/mpi_messages \
  tests/job/mpi_mistakes \
  tests/job/mpi_partitioned \
  tests/job/mpi_refusals \
  tests/job/mpi_requests \
  tests/job/mpi_tools \
  tests/job/mpi_neighbors \
  tests/job/mpi_persistent \
  tests/job/mpi_topologies \
  tests/job/mpi_sessions \
  tests/job/narrowed \
  tests/job/paused \
  tests/job/random_collectives \
  tests/job/refused \
  tests/job/reported \
  tests/job/reused_memory \
  tests/job/same_bits \
  tests/job/sample \
  tests/job/shortage \
  tests/job/silent \
  tests/job/sleepers \
  tests/job/survive \
  tests/job/start \
  tests/job/threads \
  tests/job/traffic \
  tests/job/unequal \
  tests/job/unreachable

tests_job_mpi_collectives_SOURCES = tests/job/mpi/collectives.c tests/job/mpi/support.h
tests_job_mpi_collectives_LDADD = libmpi_abi.la
tests_job_mpi_derived_SOURCES = tests/job/mpi/derived.c tests/job/mpi/support.h
tests_job_mpi_derived_LDADD = libmpi_abi.la
tests_job_mpi_hints_SOURCES = tests/job/mpi/hints.c tests/job/mpi/support.h
tests_job_mpi_hints_LDADD = libmpi_abi.la -lpthread
tests_job_mpi_intercommunicators_SOURCES = tests/job/mpi/intercommunicators.c tests/job/mpi/support.h
tests_job_mpi_intercommunicators_LDADD = libmpi_abi.la
tests_job_mpi_members_SOURCES = tests/job/mpi/members.c tests/job/mpi/support.h
tests_job_mpi_members_LDADD = libmpi_abi.la -lpthread
tests_job_mpi_messages_SOURCES = tests/job/mpi/messages.c tests/job/mpi/support.h
tests_job_mpi_messages_LDADD = libmpi_abi.la
tests_job_mpi_mistakes_SOURCES = tests/job/mpi/mistakes.c tests/job/mpi/support.h tests/job/mpi/told.h
tests_job_mpi_mistakes_LDADD = libmpi_abi.la
tests_job_mpi_partitioned_SOURCES = tests/job/mpi/partitioned.c tests/job/mpi/support.h
tests_job_mpi_partitioned_LDADD = libmpi_abi.la
tests_job_mpi_refusals_SOURCES = tests/job/mpi/refusals.c tests/job/mpi/support.h tests/job/mpi/told.h
tests_job_mpi_refusals_LDADD = libmpi_abi.la
tests_job_mpi_requests_SOURCES = tests/job/mpi/requests.c tests/job/mpi/support.h
tests_job_mpi_requests_LDADD = libmpi_abi.la
tests_job_mpi_tools_SOURCES = tests/job/mpi/tools.c tests/job/mpi/support.h
tests_job_mpi_tools_LDADD = libmpi_abi.la
tests_job_mpi_neighbors_SOURCES = tests/job/mpi/neighbors.c tests/job/mpi/support.h
tests_job_mpi_neighbors_LDADD = libmpi_abi.la
tests_job_mpi_persistent_SOURCES = tests/job/mpi/persistent.c tests/job/mpi/support.h
tests_job_mpi_persistent_LDADD = libmpi_abi.la
tests_job_mpi_topologies_SOURCES = tests/job/mpi/topologies.c tests/job/mpi/support.h
tests_job_mpi_topologies_LDADD = libmpi_abi.la
tests_job_mpi_sessions_SOURCES = tests/job/mpi/sessions.c tests/job/mpi/support.h
tests_job_mpi_sessions_LDADD = libmpi_abi.la
tests_job_absent_SOURCES = tests/job/failures/absent.cpp tests/job/support.hpp
tests_job_absent_LDADD = libpeal.la
tests_job_allocations_SOURCES = tests/job/volume/allocations.cpp tests/job/support.hpp
tests_job_allocations_LDADD = libpeal.la
tests_job_arguments_SOURCES = tests/job/arguments.cpp tests/job/support.hpp
tests_job_arguments_LDADD = libpeal.la
tests_job_bursts_SOURCES = tests/job/volume/bursts.cpp tests/job/support.hpp
tests_job_bursts_LDADD = libpeal.la
tests_job_collectives_SOURCES = tests/job/collective/collectives.cpp tests/job/support.hpp
tests_job_collectives_LDADD = libpeal.la
tests_job_communicators_SOURCES = tests/job/communicators.cpp tests/job/support.hpp
tests_job_communicators_LDADD = libpeal.la
tests_job_computing_SOURCES = tests/job/progress/computing.cpp tests/job/support.hpp
tests_job_computing_LDADD = libpeal.la -lpthread
tests_job_death_SOURCES = tests/job/failures/death.cpp tests/job/support.hpp
tests_job_death_LDADD = libpeal.la -lpthread
tests_job_direct_SOURCES = tests/job/collective/direct.cpp tests/job/support.hpp
tests_job_direct_LDADD = libpeal.la
tests_job_doorbells_SOURCES = tests/job/collective/doorbells.cpp tests/job/support.hpp
tests_job_doorbells_LDADD = libpeal.la
tests_job_ends_SOURCES = tests/job/failures/ends.cpp tests/job/support.hpp
tests_job_ends_LDADD = libpeal.la
tests_job_flood_SOURCES = tests/job/volume/flood.cpp tests/job/support.hpp
tests_job_flood_LDADD = libpeal.la
tests_job_huge_SOURCES = tests/job/volume/huge.cpp tests/job/support.hpp
tests_job_huge_LDADD = libpeal.la
tests_job_incast_SOURCES = tests/job/volume/incast.cpp tests/job/support.hpp
tests_job_incast_LDADD = libpeal.la
tests_job_learning_SOURCES = tests/job/collective/learning.cpp tests/job/support.hpp
tests_job_learning_LDADD = libpeal.la
tests_job_left_SOURCES = tests/job/failures/left.cpp tests/job/support.hpp
tests_job_left_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS)
tests_job_left_LDADD = libpeal.la $(PMIX_LIBS) -lpthread
tests_job_lost_link_SOURCES = tests/job/failures/lost_link.cpp tests/job/support.hpp
tests_job_lost_link_LDADD = libpeal.la -ldl
tests_job_messages_SOURCES = tests/job/messages.cpp tests/job/support.hpp
tests_job_messages_LDADD = libpeal.la
tests_job_narrowed_SOURCES = tests/job/progress/narrowed.cpp tests/job/support.hpp
tests_job_narrowed_LDADD = libpeal.la
tests_job_paused_SOURCES = tests/job/failures/paused.cpp tests/job/support.hpp
tests_job_paused_LDADD = libpeal.la
tests_job_random_collectives_SOURCES = tests/job/random/block.hpp tests/job/random/buffers.cpp tests/job/random/moves.cpp \
  tests/job/random/random_collectives.cpp tests/job/random/reductions.cpp tests/job/random/scene.hpp tests/job/random/turn.hpp \
  tests/job/support.hpp
tests_job_random_collectives_LDADD = libpeal.la
tests_job_same_bits_SOURCES = tests/job/collective/same_bits.cpp tests/job/support.hpp
tests_job_same_bits_LDADD = libpeal.la
tests_job_start_SOURCES = tests/job/failures/start.cpp tests/job/support.hpp
tests_job_start_LDADD = libpeal.la
tests_job_threads_SOURCES = tests/job/progress/threads.cpp tests/job/support.hpp
tests_job_threads_LDADD = libpeal.la -lpthread
tests_job_traffic_SOURCES = tests/job/exchange.hpp tests/job/volume/traffic.cpp tests/job/support.hpp
tests_job_traffic_LDADD = libpeal.la
tests_job_unequal_SOURCES = tests/job/failures/unequal.cpp tests/job/support.hpp
tests_job_unequal_LDADD = libpeal.la
tests_job_reported_SOURCES = tests/job/failures/reported.cpp tests/job/support.hpp
tests_job_reported_LDADD = libpeal.la
tests_job_unreachable_SOURCES = tests/job/failures/unreachable.cpp tests/job/support.hpp
tests_job_unreachable_LDADD = libpeal.la
tests_job_refused_SOURCES = tests/job/failures/refused.cpp tests/job/failures/refused_calls.hpp tests/job/support.hpp
tests_job_refused_LDADD = libpeal.la
tests_job_reused_memory_SOURCES = tests/job/volume/reused_memory.cpp tests/job/support.hpp tests/unit/memory/leaving_memory.hpp
tests_job_reused_memory_LDADD = libpeal.la -lpthread
tests_job_shortage_SOURCES = tests/job/failures/shortage.cpp tests/job/support.hpp
tests_job_shortage_LDADD = libpeal.la
tests_job_silent_SOURCES = tests/job/failures/silent.cpp tests/job/support.hpp
tests_job_silent_LDADD = libpeal.la
tests_job_sleepers_SOURCES = tests/job/progress/sleepers.cpp tests/job/support.hpp
tests_job_sleepers_LDADD = libpeal.la -lpthread
tests_job_survive_SOURCES = tests/job/failures/survive.cpp tests/job/support.hpp
tests_job_survive_LDADD = libpeal.la -lpthread
tests_job_sample_SOURCES = tests/job/progress/sample.cpp
tests_job_sample_LDADD = libpeal.la

# Preloaded by a case about wake-ups that are lost; -rpath makes libtool build a shared object that is never installed.
check_LTLIBRARIES += tests/job/lost_rings.la
tests_job_lost_rings_la_SOURCES = tests/job/progress/lost_rings.cpp
tests_job_lost_rings_la_LDFLAGS = -module -avoid-version -shared -rpath $(abs_builddir)/tests/job
tests_job_lost_rings_la_CXXFLAGS = $(AM_CXXFLAGS) -fvisibility=default
tests_job_lost_rings_la_LIBADD = -ldl

# Adapters of several nodes, for jobs over verbs where there is no device: preloaded, they stand before libibverbs.
check_LTLIBRARIES += tests/job/verbs_double.la
tests_job_verbs_double_la_SOURCES = \
  tests/unit/transport/verbs/double/card.cpp \
  tests/unit/transport/verbs/double/elsewhere.cpp \
  tests/unit/transport/verbs/double/fabric/fabric.cpp \
  tests/unit/transport/verbs/double/fabric/schedule.cpp \
  tests/unit/transport/verbs/double/port.cpp \
  tests/unit/transport/verbs/double/queue_pairs.cpp \
  tests/unit/transport/verbs/double/states.cpp \
  tests/unit/transport/verbs/double/timeline.cpp \
  tests/unit/transport/verbs/double/verbs.cpp \
  tests/unit/transport/verbs/double/wire.cpp \
  tests/unit/transport/verbs/double/work.cpp
tests_job_verbs_double_la_LDFLAGS = -module -avoid-version -shared -rpath $(abs_builddir)/tests/job
tests_job_verbs_double_la_CPPFLAGS = $(unit_cppflags)
tests_job_verbs_double_la_CXXFLAGS = $(unit_cxxflags) -fvisibility=default
tests_job_verbs_double_la_LIBADD = -lpthread

# A script over the library: what it calls stands in the headers.
check_SCRIPTS += tests/job/mpi_arguments
tests/job/mpi_arguments: Makefile libmpi_abi.la
	$(AM_V_GEN)$(MKDIR_P) tests/job && \
	printf '%s\n' '#!/bin/sh' 'exec $(PYTHON3) $(abs_top_srcdir)/tests/job/mpi/arguments.py $(abs_builddir) "$$@"' >$@ && chmod +x $@
CLEANFILES += tests/job/mpi_arguments

EXTRA_DIST += \
  tests/job/async.toml \
  tests/job/benchmarks.toml \
  tests/job/cases.toml \
  tests/job/direct.toml \
  tests/job/examples.toml \
  tests/job/fabric.toml \
  tests/job/failures.toml \
  tests/job/mpi.toml \
  tests/job/mpi/arguments.py \
  tests/job/mpi/arguments/declarations.py \
  tests/job/mpi/arguments/library.py \
  tests/job/mpi/arguments/right.py \
  tests/job/mpi/arguments/wrong.py \
  tests/job/random.toml \
  tests/job/run_job_tests \
  tests/job/start.toml \
  tests/job/whereabouts.py
