check_PROGRAMS += tests/unit/launcher_test
tests_unit_launcher_test_SOURCES = \
  tests/unit/launcher/end/cause_test.cpp \
  tests/unit/launcher/report/heat_map_test.cpp \
  tests/unit/launcher/report/summary_test.cpp \
  tests/unit/launcher/report/text_test.cpp \
  tests/unit/launcher/report/trace_test.cpp \
  launcher/pealrun/end/cause.cpp \
  launcher/pealrun/report/heat_map.cpp \
  launcher/pealrun/report/places.cpp \
  launcher/pealrun/report/summary.cpp \
  launcher/pealrun/report/text.cpp \
  launcher/pealrun/report/trace.cpp
tests_unit_launcher_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/launcher/pealrun
tests_unit_launcher_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_launcher_test_LDADD = $(unit_ldadd)
