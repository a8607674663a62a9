check_PROGRAMS += tests/unit/launcher_test
tests_unit_launcher_test_SOURCES = \
  tests/unit/launcher/end/cause_test.cpp launcher/pealrun/end/cause.cpp \
  tests/unit/launcher/placement/bindings_text_test.cpp launcher/pealrun/placement/bindings_text.cpp \
  tests/unit/launcher/placement/mapping_test.cpp launcher/pealrun/placement/mapping.cpp \
  tests/unit/launcher/placement/node_cores_test.cpp launcher/pealrun/placement/node_cores.cpp \
  launcher/pealrun/placement/place.cpp \
  tests/unit/launcher/placement/rankfile_test.cpp launcher/pealrun/placement/rankfile.cpp \
  tests/unit/launcher/placement/topologies.hpp \
  launcher/pealrun/request/checks.cpp launcher/pealrun/request/placement_request.cpp
tests_unit_launcher_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/launcher/pealrun -I$(top_srcdir)/tests/unit/launcher
tests_unit_launcher_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_launcher_test_LDADD = $(unit_ldadd) $(HWLOC_LIBS) $(FMT_LIBS)
