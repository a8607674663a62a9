# Built on demand: make tests/bench/shm_bench
EXTRA_PROGRAMS += tests/bench/shm_bench
tests_bench_shm_bench_SOURCES = tests/bench/shm_bench.cpp
tests_bench_shm_bench_CPPFLAGS = $(AM_CPPFLAGS) $(FMT_CFLAGS)
tests_bench_shm_bench_LDADD = $(peal_parts)
EXTRA_DIST += tests/bench/header_cost
