check_PROGRAMS += tests/unit/state_test
tests_unit_state_test_SOURCES = tests/unit/state/call_stack_test.cpp tests/unit/state/rank_state_test.cpp
tests_unit_state_test_CPPFLAGS = $(unit_cppflags)
tests_unit_state_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_state_test_LDADD = $(unit_ldadd)
