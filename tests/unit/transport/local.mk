check_PROGRAMS += tests/unit/transport_test
tests_unit_transport_test_SOURCES = \
  tests/unit/transport/box_test.cpp \
  tests/unit/transport/contract_test.cpp \
  tests/unit/transport/datagram_channel_test.cpp \
  tests/unit/transport/device_choice_test.cpp \
  tests/unit/transport/ends.hpp \
  tests/unit/transport/kernel_asker_test.cpp \
  tests/unit/transport/node_watch_test.cpp \
  tests/unit/transport/port_counters_test.cpp \
  tests/unit/transport/rail_choice_test.cpp \
  tests/unit/transport/registration_cache_test.cpp \
  tests/unit/transport/shm_failure_test.cpp \
  tests/unit/transport/shm_sleep_test.cpp \
  tests/unit/transport/shm_test.cpp \
  tests/unit/transport/verbs_choice_test.cpp \
  tests/unit/transport/verbs_cold_test.cpp \
  tests/unit/transport/verbs_memory_test.cpp \
  tests/unit/transport/verbs_rails_test.cpp \
  tests/unit/transport/verbs_sleep_test.cpp \
  tests/unit/transport/verbs_test.cpp
tests_unit_transport_test_CPPFLAGS = $(unit_cppflags)
tests_unit_transport_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_transport_test_LDADD = $(unit_ldadd)
tests_unit_transport_test_LDFLAGS = $(AM_LDFLAGS) $(OPENMP_CXXFLAGS)
