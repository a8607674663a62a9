check_PROGRAMS += tests/unit/record_test
tests_unit_record_test_SOURCES = \
  tests/unit/record/event_log_test.cpp \
  tests/unit/record/layout_test.cpp \
  tests/unit/record/recorder_test.cpp
tests_unit_record_test_CPPFLAGS = $(unit_cppflags)
tests_unit_record_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_record_test_LDADD = $(unit_ldadd)
