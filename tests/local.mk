# Unit tests: one program a folder of src, linked against everything, hidden names too.
if HAVE_GTEST
unit_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests $(GTEST_CFLAGS) $(PMIX_CFLAGS) $(HWLOC_CFLAGS) $(IBVERBS_CFLAGS) $(FMT_CFLAGS)
unit_cxxflags = $(AM_CXXFLAGS) $(OPENMP_CXXFLAGS)
unit_ldadd = libpeal_core.la $(GTEST_LIBS) -lgtest_main
include tests/unit/local.mk
endif

EXTRA_PROGRAMS =
include tests/bench/local.mk

include tests/job/api/local.mk
include tests/job/local.mk

EXTRA_DIST += \
  tests/compile/api.cpp \
  tests/compile/error.cpp \
  tests/compile/into.cpp \
  tests/compile/results.cpp \
  tests/compile/run_compile_tests \
  tests/compile/types.cpp \
  tests/install/consumer/CMakeLists.txt \
  tests/install/consumer/ring.cpp \
  tests/install/run_install_tests \
  tests/run_tests \
  tests/style/run_style_tests

# All suites, or those named: make check SUITES="unit job". QUICK=1 leaves out what takes long, and so does make distcheck, which is there to find
# what the tarball lacks.
SUITES =
QUICK =
check-local:
if HAVE_GTEST
	CXX='$(CXX)' $(PYTHON3) $(srcdir)/tests/run_tests --build . --unit "$(filter tests/unit/%,$(check_PROGRAMS))" \
	  --sanitizer $(PEAL_SANITIZER) $(if $(QUICK)$(PEAL_QUICK_CHECK),--quick) $(SUITES)
else
	@echo "make check needs GoogleTest (Debian: apt-get install libgtest-dev); then run configure again" >&2; exit 1
endif

# The unit and job tests once more, built with a sanitizer in a folder beside this one. -O1: half the time to build, and stacks that can be read.
.PHONY: check-sanitize check-address check-thread
check-sanitize:
	$(MAKE) --no-print-directory check-address
	$(MAKE) --no-print-directory check-thread
check-address check-thread:
	@$(MKDIR_P) $(abs_builddir)-$(@:check-%=%)
	test -f $(abs_builddir)-$(@:check-%=%)/Makefile || { cd $(abs_builddir)-$(@:check-%=%) && \
	  $(abs_srcdir)/configure -q CC='$(CC)' CXX='$(CXX)' CXXFLAGS='-O1 -g1' CFLAGS='-O1 -g1' --enable-sanitize=$(@:check-%=%); }
	$(MAKE) --no-print-directory -C $(abs_builddir)-$(@:check-%=%) check QUICK=$(QUICK) SUITES='$(or $(SUITES),unit job)'

clean-local:
	-rm -rf test-logs examples/bench/installed
include tests/lab/local.mk
include tests/launcher/local.mk
