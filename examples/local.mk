# Programs to read and to run; the tests run each of them.
noinst_PROGRAMS += \
  examples/coroutines \
  examples/event_loop \
  examples/halo \
  examples/hello \
  examples/hybrid \
  examples/pi \
  examples/plans \
  examples/ring \
  examples/sort \
  examples/survivors \
  examples/types \
  examples/workers
examples_coroutines_SOURCES = examples/coroutines.cpp
examples_coroutines_LDADD = libpeal.la
examples_event_loop_SOURCES = examples/event_loop.cpp
examples_event_loop_LDADD = libpeal.la
examples_halo_SOURCES = examples/halo.cpp
examples_halo_LDADD = libpeal.la
examples_hello_SOURCES = examples/hello.cpp
examples_hello_LDADD = libpeal.la
examples_hybrid_SOURCES = examples/hybrid.cpp
examples_hybrid_CXXFLAGS = $(AM_CXXFLAGS) $(OPENMP_CXXFLAGS)
examples_hybrid_LDADD = libpeal.la
examples_pi_SOURCES = examples/pi.cpp
examples_pi_LDADD = libpeal.la
examples_plans_SOURCES = examples/plans.cpp
examples_plans_LDADD = libpeal.la
examples_ring_SOURCES = examples/ring.cpp
examples_ring_LDADD = libpeal.la
examples_sort_SOURCES = examples/sort.cpp
examples_sort_LDADD = libpeal.la
examples_survivors_SOURCES = examples/survivors.cpp
examples_survivors_LDADD = libpeal.la
examples_types_SOURCES = examples/types.cpp
examples_types_LDADD = libpeal.la
examples_workers_SOURCES = examples/workers.cpp
examples_workers_LDADD = libpeal.la

# The library, its programs, and the benchmarks that examples/demo runs: half of what `make` builds.
.PHONY: demo-programs
demo-programs: libpeal.la pealrun peal-info peal-sim examples/bench/peal_latency examples/bench/peal_bw examples/bench/peal_allreduce

include examples/bench/local.mk
