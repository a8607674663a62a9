check_PROGRAMS += tests/unit/launcher_test
tests_unit_launcher_test_SOURCES = tests/unit/launcher/end/cause_test.cpp launcher/pealrun/end/cause.cpp \
  tests/unit/launcher/processes/restart_test.cpp launcher/pealrun/processes/restart.cpp \
  launcher/pealrun/processes/descriptors.cpp launcher/pealrun/processes/signals.cpp launcher/pealrun/request/request.cpp
tests_unit_launcher_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/launcher/pealrun
tests_unit_launcher_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_launcher_test_LDADD = $(unit_ldadd)
