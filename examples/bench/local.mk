# The OSU-style benchmarks, and the same loops in C for MPI that bench-compare builds.
bench_programs = \
  examples/bench/peal_allgather \
  examples/bench/peal_allreduce \
  examples/bench/peal_alltoall \
  examples/bench/peal_barrier \
  examples/bench/peal_bcast \
  examples/bench/peal_bibw \
  examples/bench/peal_bw \
  examples/bench/peal_gather \
  examples/bench/peal_iallreduce \
  examples/bench/peal_init \
  examples/bench/peal_latency \
  examples/bench/peal_mbw_mr \
  examples/bench/peal_mt_rate \
  examples/bench/peal_multi_lat \
  examples/bench/peal_overlap \
  examples/bench/peal_pace \
  examples/bench/peal_reduce \
  examples/bench/peal_reduce_scatter \
  examples/bench/peal_scan \
  examples/bench/peal_scatter \
  examples/bench/peal_wakeup
bin_PROGRAMS += $(bench_programs) examples/bench/peal_bare_copy

# Here a benchmark finds the library of this folder. The one that is installed must find the installed library, so it is linked once more.
bench_to_install = $(bench_programs:examples/bench/%=examples/bench/installed/%)
$(bench_to_install): examples/bench/installed/%: examples/bench/%
	@$(MKDIR_P) $(@D)
	$(AM_V_CXXLD)$(LIBTOOL) $(AM_V_lt) --tag=CXX $(AM_LIBTOOLFLAGS) $(LIBTOOLFLAGS) --mode=link $(CXX) $(AM_CXXFLAGS) $(CXXFLAGS) \
	  $(PEAL_SANITIZE_FLAGS) $(LDFLAGS) -o $@ $(examples_bench_$(@F)_OBJECTS) $(examples_bench_$(@F)_LDADD) $(LIBS)
install-exec-hook: $(bench_to_install)
	@for program in $(bench_to_install); do \
	  to="$(DESTDIR)$(bindir)/`echo $$program | sed 's,.*/,,;$(transform)'`"; \
	  $(LIBTOOL) $(AM_LIBTOOLFLAGS) $(LIBTOOLFLAGS) --mode=install $(INSTALL_PROGRAM) $$program "$$to" || exit 1; \
	done

noinst_LTLIBRARIES += examples/bench/libbench.la
examples_bench_libbench_la_SOURCES = examples/bench/common/collective.cpp examples/bench/common/collective.hpp examples/bench/common/common.cpp \
  examples/bench/common/common.hpp examples/bench/common/overlap.cpp examples/bench/common/overlap.hpp \
  examples/bench/common/progress.cpp examples/bench/common/progress.hpp
examples_bench_libbench_la_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS)
examples_bench_libbench_la_LIBADD = libpeal.la $(FMT_LIBS)

examples_bench_peal_allgather_SOURCES = examples/bench/collectives/peal_allgather.cpp
examples_bench_peal_allgather_LDADD = examples/bench/libbench.la
examples_bench_peal_allreduce_SOURCES = examples/bench/collectives/peal_allreduce.cpp
examples_bench_peal_allreduce_LDADD = examples/bench/libbench.la
examples_bench_peal_alltoall_SOURCES = examples/bench/collectives/peal_alltoall.cpp
examples_bench_peal_alltoall_LDADD = examples/bench/libbench.la
examples_bench_peal_barrier_SOURCES = examples/bench/collectives/peal_barrier.cpp
examples_bench_peal_barrier_LDADD = examples/bench/libbench.la
examples_bench_peal_bcast_SOURCES = examples/bench/collectives/peal_bcast.cpp
examples_bench_peal_bcast_LDADD = examples/bench/libbench.la
examples_bench_peal_bibw_SOURCES = examples/bench/peal_bibw.cpp
examples_bench_peal_bibw_LDADD = examples/bench/libbench.la
examples_bench_peal_bw_SOURCES = examples/bench/peal_bw.cpp
examples_bench_peal_bw_LDADD = examples/bench/libbench.la
examples_bench_peal_gather_SOURCES = examples/bench/collectives/peal_gather.cpp
examples_bench_peal_gather_LDADD = examples/bench/libbench.la
examples_bench_peal_iallreduce_SOURCES = examples/bench/collectives/peal_iallreduce.cpp
examples_bench_peal_iallreduce_LDADD = examples/bench/libbench.la
examples_bench_peal_init_SOURCES = examples/bench/peal_init.cpp
examples_bench_peal_init_LDADD = examples/bench/libbench.la
examples_bench_peal_latency_SOURCES = examples/bench/peal_latency.cpp
examples_bench_peal_latency_LDADD = examples/bench/libbench.la
examples_bench_peal_mbw_mr_SOURCES = examples/bench/peal_mbw_mr.cpp
examples_bench_peal_mbw_mr_LDADD = examples/bench/libbench.la
examples_bench_peal_mt_rate_SOURCES = examples/bench/peal_mt_rate.cpp
examples_bench_peal_mt_rate_LDADD = examples/bench/libbench.la -lpthread
examples_bench_peal_multi_lat_SOURCES = examples/bench/peal_multi_lat.cpp
examples_bench_peal_multi_lat_LDADD = examples/bench/libbench.la
examples_bench_peal_overlap_SOURCES = examples/bench/peal_overlap.cpp
examples_bench_peal_overlap_LDADD = examples/bench/libbench.la
examples_bench_peal_pace_SOURCES = examples/bench/peal_pace.cpp
examples_bench_peal_pace_LDADD = examples/bench/libbench.la
examples_bench_peal_reduce_SOURCES = examples/bench/collectives/peal_reduce.cpp
examples_bench_peal_reduce_LDADD = examples/bench/libbench.la
examples_bench_peal_reduce_scatter_SOURCES = examples/bench/collectives/peal_reduce_scatter.cpp
examples_bench_peal_reduce_scatter_LDADD = examples/bench/libbench.la
examples_bench_peal_scan_SOURCES = examples/bench/collectives/peal_scan.cpp
examples_bench_peal_scan_LDADD = examples/bench/libbench.la
examples_bench_peal_scatter_SOURCES = examples/bench/collectives/peal_scatter.cpp
examples_bench_peal_scatter_LDADD = examples/bench/libbench.la
examples_bench_peal_wakeup_SOURCES = examples/bench/peal_wakeup.cpp examples/bench/common/bare_verbs.cpp examples/bench/common/bare_verbs.hpp
examples_bench_peal_wakeup_CPPFLAGS = $(AM_CPPFLAGS) $(IBVERBS_CFLAGS)
examples_bench_peal_wakeup_LDADD = examples/bench/libbench.la $(IBVERBS_LIBS)
# Without any messaging library.
examples_bench_peal_bare_copy_SOURCES = examples/bench/peal_bare_copy.cpp examples/bench/common/progress.cpp
examples_bench_peal_bare_copy_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS)
examples_bench_peal_bare_copy_LDADD = $(FMT_LIBS)

EXTRA_DIST += \
  examples/bench/bench-compare \
  examples/bench/bench-compare-nodes \
  examples/bench/bench-compare-rdma \
  examples/bench/bench-sim \
  examples/bench/choices/bench-change \
  examples/bench/choices/bench-regret \
  examples/bench/collective_rows.py \
  examples/bench/mpi_rows.py \
  examples/bench/common/progress.py \
  examples/bench/mpi/allgather.c \
  examples/bench/mpi/allreduce.c \
  examples/bench/mpi/alltoall.c \
  examples/bench/mpi/barrier.c \
  examples/bench/mpi/bcast.c \
  examples/bench/mpi/bibw.c \
  examples/bench/mpi/bw.c \
  examples/bench/mpi/collective.h \
  examples/bench/mpi/common.h \
  examples/bench/mpi/datatypes.c \
  examples/bench/mpi/gather.c \
  examples/bench/mpi/init.c \
  examples/bench/mpi/latency.c \
  examples/bench/mpi/mbw_mr.c \
  examples/bench/mpi/mt_rate.c \
  examples/bench/mpi/multi_lat.c \
  examples/bench/mpi/reduce.c \
  examples/bench/mpi/reduce_scatter.c \
  examples/bench/mpi/scan.c \
  examples/bench/mpi/scatter.c \
  examples/bench/pace.svg \
  examples/bench/plot-pace

# The table of ratios, ours and the peers' in turn. make bench-compare BENCH="--quick --rows latency"
BENCH =
.PHONY: bench-compare
bench-compare: all
	$(PYTHON3) $(srcdir)/examples/bench/bench-compare $(abs_builddir) $(BENCH)
	test -n "$(BENCH)" || $(PYTHON3) $(srcdir)/examples/bench/choices/bench-regret $(abs_builddir)

# Collectives between two nodes of the lab. make bench-compare-nodes BENCH="--rounds 1 --rows allreduce"
.PHONY: bench-compare-nodes
bench-compare-nodes: all
	$(PYTHON3) $(srcdir)/examples/bench/bench-compare-nodes $(abs_builddir) $(BENCH)

# The same over verbs, in the lab, with raw verbs beside. make bench-compare-rdma BENCH="--rounds 1 --rows latency"
.PHONY: bench-compare-rdma
bench-compare-rdma: all
	$(PYTHON3) $(srcdir)/examples/bench/bench-compare-rdma $(abs_builddir) $(BENCH)

# Prices of the choice and peal-sim beside what is measured. make bench-sim BENCH="--ranks 2 --collectives allreduce"
.PHONY: bench-sim
bench-sim: all
	$(PYTHON3) $(srcdir)/examples/bench/bench-sim $(abs_builddir) $(BENCH)

# What the default choices cost beside the best forced ones. make bench-regret BENCH="--ranks 2 --rows allreduce"
.PHONY: bench-regret
bench-regret: all
	$(PYTHON3) $(srcdir)/examples/bench/choices/bench-regret $(abs_builddir) $(BENCH)
