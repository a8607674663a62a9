check_PROGRAMS += tests/unit/comm_test
tests_unit_comm_test_SOURCES = \
  tests/unit/collective/ranks_in_one.hpp \
  tests/unit/comm/unit.cpp \
  tests/unit/p2p/fake_network.hpp
tests_unit_comm_test_CPPFLAGS = $(unit_cppflags)
tests_unit_comm_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_comm_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/comm/calls/environment_calls_test.cpp \
  tests/unit/comm/calls/message_calls_test.cpp \
  tests/unit/comm/checks/call_record_test.cpp \
  tests/unit/comm/checks/checked_calls_test.cpp \
  tests/unit/comm/communicator_state_test.cpp \
  tests/unit/comm/context_pool_test.cpp \
  tests/unit/comm/counters_text_test.cpp \
  tests/unit/comm/end/absences_test.cpp \
  tests/unit/comm/end/agreement_round_test.cpp \
  tests/unit/comm/end/end_watch_test.cpp \
  tests/unit/comm/end/failure_callback_test.cpp \
  tests/unit/comm/end/failure_list_test.cpp \
  tests/unit/comm/end/report_list_test.cpp \
  tests/unit/comm/end/survivors_test.cpp \
  tests/unit/comm/member_tree_test.cpp \
  tests/unit/comm/start/agreement_test.cpp \
  tests/unit/comm/start/fork_guard_test.cpp \
  tests/unit/comm/start/lane_count_test.cpp \
  tests/unit/comm/start/node_list_test.cpp \
  tests/unit/comm/start/spin_bounds_test.cpp \
  tests/unit/comm/waits/wait_reporter_test.cpp
