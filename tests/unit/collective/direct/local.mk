check_PROGRAMS += tests/unit/direct_test
tests_unit_direct_test_SOURCES = \
  tests/unit/collective/direct/block_memory.hpp \
  tests/unit/collective/direct/float_sums.hpp \
  tests/unit/collective/direct/modelled_ranks.hpp \
  tests/unit/collective/direct/plans.hpp \
  tests/unit/collective/direct/ranks_in_threads.hpp \
  tests/unit/collective/direct/unit.cpp
tests_unit_direct_test_CPPFLAGS = $(unit_cppflags)
tests_unit_direct_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_direct_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/collective/direct/arena_test.cpp \
  tests/unit/collective/direct/block_pages_test.cpp \
  tests/unit/collective/direct/calls/long_call_test.cpp \
  tests/unit/collective/direct/calls/quick_call_test.cpp \
  tests/unit/collective/direct/calls/short_call_test.cpp \
  tests/unit/collective/direct/flags_test.cpp \
  tests/unit/collective/direct/groups/group_call_test.cpp \
  tests/unit/collective/direct/groups/group_flags_test.cpp \
  tests/unit/collective/direct/learnt_summary_test.cpp \
  tests/unit/collective/direct/learnt_ways_likeness_test.cpp \
  tests/unit/collective/direct/learnt_ways_test.cpp \
  tests/unit/collective/direct/learnt_ways_trials_test.cpp \
  tests/unit/collective/direct/price_test.cpp
