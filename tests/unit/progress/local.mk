check_PROGRAMS += tests/unit/progress_test
tests_unit_progress_test_SOURCES = \
  tests/unit/progress/mailbox.hpp \
  tests/unit/progress/unit.cpp
tests_unit_progress_test_CPPFLAGS = $(unit_cppflags)
tests_unit_progress_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_progress_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/progress/lock_test.cpp \
  tests/unit/progress/engine_test.cpp \
  tests/unit/progress/engine_sleeper_test.cpp \
  tests/unit/progress/sleepers/event_descriptor_test.cpp \
  tests/unit/progress/sleepers/family_test.cpp \
  tests/unit/progress/sleepers/helper_thread_test.cpp \
  tests/unit/progress/sleep_test.cpp \
  tests/unit/progress/wait_policy_test.cpp \
  tests/unit/progress/yield_costs_test.cpp
