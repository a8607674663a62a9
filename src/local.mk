# libpeal. Everything but PEAL_EXPORT is hidden; tests link the convenience library, where every name is to be seen.
noinst_LTLIBRARIES += libpeal_core.la
libpeal_core_la_SOURCES =
libpeal_core_la_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS) -DPEAL_PMIX_LIBDIR='"$(PMIX_LIBDIR)"' $(HWLOC_CFLAGS) $(IBVERBS_CFLAGS) $(SODIUM_CFLAGS) $(FMT_CFLAGS)
# -fno-tree-slp-vectorize: g++ otherwise joins an envelope's two words in a vector register, through memory, on the path of every message.
libpeal_core_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-semantic-interposition -fno-tree-slp-vectorize
# Without libpmix, which is loaded where a rank meets its launcher by it: src/bootstrap/pmix_library.hpp.
libpeal_core_la_LIBADD = $(FMT_LIBS) -ldl -lpthread
# What programs are linked with that are made of libpeal's parts. libpeal loads hwloc, libibverbs and libsodium when they are needed.
peal_parts = libpeal_core.la $(HWLOC_LIBS) $(IBVERBS_LIBS) $(SODIUM_LIBS)

lib_LTLIBRARIES += libpeal.la
libpeal_la_SOURCES = src/base/on_demand/hwloc_calls.cpp src/base/on_demand/ibverbs_calls.cpp src/base/on_demand/sodium_calls.cpp
libpeal_la_CPPFLAGS = $(libpeal_core_la_CPPFLAGS)
libpeal_la_LIBADD = libpeal_core.la
libpeal_la_CXXFLAGS = $(libpeal_core_la_CXXFLAGS)
libpeal_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -Wl,-Bsymbolic-functions \
  -Wl,--version-script=$(srcdir)/src/libpeal.map
EXTRA_libpeal_la_DEPENDENCIES = src/libpeal.map
EXTRA_DIST += src/libpeal.map

include src/base/local.mk
include src/record/local.mk
include src/topology/local.mk
include src/bootstrap/local.mk
include src/state/local.mk
include src/progress/local.mk
include src/memory/local.mk
include src/transport/local.mk
include src/p2p/local.mk
include src/collective/local.mk
include src/simulator/local.mk
include src/comm/local.mk
include src/mpi/local.mk
