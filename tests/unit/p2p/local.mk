check_PROGRAMS += tests/unit/p2p_test
tests_unit_p2p_test_SOURCES = \
  tests/unit/p2p/fake_network.hpp \
  tests/unit/p2p/unit.cpp
tests_unit_p2p_test_CPPFLAGS = $(unit_cppflags)
tests_unit_p2p_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_p2p_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/p2p/contexts_test.cpp \
  tests/unit/p2p/failures_test.cpp \
  tests/unit/p2p/chain_index_test.cpp \
  tests/unit/p2p/linked_list_test.cpp \
  tests/unit/p2p/matching_test.cpp \
  tests/unit/p2p/messaging_test.cpp \
  tests/unit/p2p/operation_pool_test.cpp \
  tests/unit/p2p/operation_test.cpp \
  tests/unit/p2p/random_test.cpp \
  tests/unit/p2p/receive_test.cpp \
  tests/unit/p2p/send_test.cpp \
  tests/unit/p2p/team_test.cpp \
  tests/unit/p2p/unexpected_test.cpp
