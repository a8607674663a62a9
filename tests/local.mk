# Unit tests: one program a folder of src, linked against everything, hidden names too.
if HAVE_GTEST
unit_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests $(GTEST_CFLAGS) $(PMIX_CFLAGS) $(HWLOC_CFLAGS) $(FMT_CFLAGS)
unit_cxxflags = $(AM_CXXFLAGS) $(OPENMP_CXXFLAGS)
unit_ldadd = libpeal_core.la $(GTEST_LIBS) -lgtest_main
include tests/unit/local.mk
endif
