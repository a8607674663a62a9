# Unit tests: one program a folder of src, linked against everything, hidden names too.
if HAVE_GTEST
unit_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests $(GTEST_CFLAGS) $(PMIX_CFLAGS) $(HWLOC_CFLAGS) $(IBVERBS_CFLAGS) $(SODIUM_CFLAGS) $(FMT_CFLAGS)
unit_cxxflags = $(AM_CXXFLAGS)
unit_ldadd = $(peal_parts) $(GTEST_LIBS) -lgtest_main
include tests/unit/local.mk
endif

EXTRA_PROGRAMS =
include tests/bench/local.mk

include tests/job/api/local.mk
include tests/job/local.mk

EXTRA_DIST += \
  tests/apps/boost_mpi.py \
  tests/apps/fftw.py \
  tests/apps/hpcc.py \
  tests/apps/hypre.py \
  tests/apps/mpi4py.py \
  tests/apps/mpi4py_runner.py \
  tests/apps/mpich.py \
  tests/apps/netpipe.py \
  tests/apps/p4est.py \
  tests/apps/run_apps_tests \
  tests/apps/sources.py \
  tests/apps/suite.py \
  tests/compile/api.cpp \
  tests/compile/error.cpp \
  tests/compile/headers.cpp \
  tests/compile/into.cpp \
  tests/compile/mistakes.cpp \
  tests/compile/results.cpp \
  tests/compile/run_compile_tests \
  tests/compile/types.cpp \
  tests/compile/unsendable.cpp \
  tests/fuzz/datatypes.cpp \
  tests/fuzz/packets.cpp \
  tests/fuzz/run_fuzz \
  tests/fuzz/run_fuzz_tests \
  tests/fuzz/seeds/packets/0 \
  tests/fuzz/seeds/packets/1 \
  tests/fuzz/seeds/packets/2 \
  tests/fuzz/seeds/packets/3 \
  tests/fuzz/seeds/packets/4 \
  tests/fuzz/seeds/packets/5 \
  tests/fuzz/seeds/packets/6 \
  tests/fuzz/seeds/packets/7 \
  tests/install/consumer/CMakeLists.txt \
  tests/install/consumer/abi.c \
  tests/install/consumer/abi_constants.txt \
  tests/install/consumer/mpi/CMakeLists.txt \
  tests/install/consumer/mpi/mpi.cpp \
  tests/install/consumer/ring.cpp \
  tests/install/run_install_tests \
  tests/run_tests \
  tests/runner/__init__.py \
  tests/runner/apps_cases.py \
  tests/runner/bootstrap_cases.py \
  tests/runner/deadline_cases.py \
  tests/runner/job_cases.py \
  tests/runner/lab_cases.py \
  tests/runner/processes.py \
  tests/runner/report.py \
  tests/runner/rotation.py \
  tests/runner/run_runner_tests \
  tests/runner/stand_ins.py \
  tests/runner/suite_cases.py \
  tests/runner/suites.py \
  tests/style/pages.py \
  tests/style/run_style_tests \
  tests/style/tidy.py \
  tests/systems/cross \
  tests/systems/run \
  tests/systems/run_systems_tests

# What tests need besides programs. Tests are built with less optimization, which halves the time: it is the library that they try. A program is
# not built anew when only its flags change, so CXXFLAGS='-O2 -g' from the beginning gives tests like the library.
TEST_CXXFLAGS = -O1 -g1
.PHONY: test-programs unit-programs
test-programs:
	$(MAKE) --no-print-directory $(check_PROGRAMS) $(check_LTLIBRARIES) $(check_SCRIPTS) CXXFLAGS='$(TEST_CXXFLAGS)'
unit-programs:
	$(MAKE) --no-print-directory $(filter tests/unit/%,$(check_PROGRAMS)) CXXFLAGS='$(TEST_CXXFLAGS)'

# All suites, or those named: make check SUITES="unit job". QUICK=1: what is brief, and so does make distcheck, which is there to find what the
# tarball lacks; FULL=1: everything (tests/run_tests says what that means). LOWEST=1: with
# the lowest priority, beside other tests.
SUITES =
QUICK =
FULL =
TIER = $(if $(FULL),full,$(if $(QUICK)$(PEAL_QUICK_CHECK),quick,default))
RESULTS = results
LOWEST =
run_tests = CC='$(CC)' CXX='$(CXX)' $(PYTHON3) $(srcdir)/tests/run_tests --build . --sanitizer $(PEAL_SANITIZER) --tier $(TIER) --results $(RESULTS) \
  $(if $(LOWEST),--lowest-priority)
check-local:
if HAVE_GTEST
	$(run_tests) --unit "$(filter tests/unit/%,$(check_PROGRAMS))$(if $(wildcard /sys/class/infiniband/*), tests/lab/devices_test)" $(SUITES)
else
	@echo "make check needs GoogleTest (Debian: apt-get install libgtest-dev); then run configure again" >&2; exit 1
endif

# Programs that others have written, over MPI's C interface; all of them, or those named: make check-apps APPS="netpipe fftw". The suite `apps` of the
# check has a part of them.
.PHONY: check-apps
APPS =
check-apps: all
	CC='$(CC)' CXX='$(CXX)' $(PYTHON3) $(srcdir)/tests/apps/run_apps_tests . $(APPS)

# Datatypes, and packets to a rank over RDMA, that libFuzzer makes up: each for so many seconds; or those named: make check-fuzz FUZZERS=packets.
.PHONY: check-fuzz
FUZZ_SECONDS = 60
FUZZERS = datatypes packets
check-fuzz: all
	set -e; for each in $(FUZZERS); do $(srcdir)/tests/fuzz/run_fuzz $(abs_builddir) $(FUZZ_SECONDS) $$each; done

# Jobs that live for SOAK_MINUTES (3), and short ones that start, fail and end beside them; SOAK_SEED repeats a run (tests/soak/run_soak_tests).
.PHONY: check-soak
soak_programs = tests/soak/soak $(addprefix tests/job/,communicators death ends left paused random_collectives threads traffic)
check-soak:
	$(MAKE) --no-print-directory libpeal.la pealrun
	$(MAKE) --no-print-directory $(soak_programs) CXXFLAGS='$(TEST_CXXFLAGS)'
	SOAK_MINUTES='$(SOAK_MINUTES)' SOAK_SEED='$(SOAK_SEED)' $(PYTHON3) $(srcdir)/tests/run_tests --build . --results soak soak

# Unit and job tests once more, built with a sanitizer in a folder beside this one: the library and what these tests run, no more. -O1 for the library,
# for stacks that can be read; -O0 for pealrun and tests under AddressSanitizer, since UndefinedBehaviorSanitizer's checks make -O1 take twice as long,
# and without those of every pointer that is followed, which take a quarter of the compiler's time; the library has them.
# ThreadSanitizer sees threads of one process only, so it gets the tests where threads meet.
.PHONY: check-sanitize check-address check-thread build-address build-thread sanitized check-sanitized
sanitized_unit_address = $(filter tests/unit/%,$(check_PROGRAMS))
sanitized_unit_thread = tests/unit/direct_test tests/unit/memory_test tests/unit/progress_test tests/unit/transport_test \
  tests/unit/verbs_double_test
sanitized_unit = $(if $(FULL),$(filter tests/unit/%,$(check_PROGRAMS)),$(sanitized_unit_$(PEAL_SANITIZER)))
sanitized_cxxflags_address = -O0 -g1 -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute
sanitized_cxxflags_thread = -O1 -g1
sanitized_jobs = $(PYTHON3) $(srcdir)/tests/job/run_job_tests . --programs --sanitizer $(PEAL_SANITIZER) --tier $(TIER)
check-sanitize:
	$(MAKE) --no-print-directory check-address
	$(MAKE) --no-print-directory check-thread
build-address build-thread:
	@$(MKDIR_P) $(abs_builddir)-$(@:build-%=%)
	test -f $(abs_builddir)-$(@:build-%=%)/Makefile || { cd $(abs_builddir)-$(@:build-%=%) && \
	  $(abs_srcdir)/configure -q CC='$(CC)' CXX='$(CXX)' CXXFLAGS='-O1 -g1' CFLAGS='-O1 -g1' --enable-sanitize=$(@:build-%=%); }
	$(MAKE) --no-print-directory -C $(abs_builddir)-$(@:build-%=%) sanitized QUICK=$(QUICK) FULL=$(FULL) SUITES='$(SUITES)'
check-address check-thread: check-%: build-%
	$(MAKE) --no-print-directory -C $(abs_builddir)-$(@:check-%=%) check-sanitized QUICK=$(QUICK) FULL=$(FULL) RESULTS=$(RESULTS) LOWEST=$(LOWEST) \
	  SUITES='$(or $(SUITES),unit job)'
sanitized:
	$(MAKE) --no-print-directory libpeal.la libpeal_simulator.la
	$(MAKE) --no-print-directory pealrun $(if $(filter unit,$(or $(SUITES),unit)),$(sanitized_unit)) \
	  $(if $(filter job,$(or $(SUITES),job)),$$($(sanitized_jobs))) CXXFLAGS='$(sanitized_cxxflags_$(PEAL_SANITIZER))'
check-sanitized:
	$(run_tests) --unit "$(sanitized_unit)" $(SUITES)

clean-local:
	-rm -rf test-logs examples/bench/installed doc/reference
include tests/lab/local.mk
include tests/launcher/local.mk
include tests/soak/local.mk
