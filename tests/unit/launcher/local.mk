check_PROGRAMS += tests/unit/launcher_test
tests_unit_launcher_test_SOURCES = \
  tests/unit/launcher/end/cause_test.cpp \
  tests/unit/launcher/processes/unkillable_test.cpp \
  tests/unit/launcher/streams/file_sink_test.cpp \
  tests/unit/launcher/streams/descriptor_sink_test.cpp \
  tests/unit/launcher/streams/line_prefix_test.cpp \
  tests/unit/launcher/streams/output_folder_test.cpp \
  tests/unit/launcher/streams/pseudo_terminal_test.cpp \
  tests/unit/launcher/streams/spool_test.cpp \
  launcher/pealrun/end/cause.cpp \
  launcher/pealrun/processes/unkillable.cpp \
  launcher/pealrun/streams/descriptor_sink.cpp \
  launcher/pealrun/streams/file_sink.cpp \
  launcher/pealrun/streams/line_prefix.cpp \
  launcher/pealrun/streams/output_folder.cpp \
  launcher/pealrun/streams/pseudo_terminal.cpp \
  launcher/pealrun/streams/spool.cpp
tests_unit_launcher_test_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/launcher/pealrun
tests_unit_launcher_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_launcher_test_LDADD = $(unit_ldadd)
