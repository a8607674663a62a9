check_PROGRAMS += tests/unit/transport_test
tests_unit_transport_test_SOURCES = \
  tests/unit/transport/ends.hpp \
  tests/unit/transport/shm_unit.cpp \
  tests/unit/transport/unit.cpp \
  tests/unit/transport/verbs_unit.cpp
tests_unit_transport_test_CPPFLAGS = $(unit_cppflags)
tests_unit_transport_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_transport_test_LDADD = $(unit_ldadd)
tests_unit_transport_test_LDFLAGS = $(AM_LDFLAGS) $(OPENMP_CXXFLAGS)

# Devices of this process's own stand in for libibverbs: what is tested with a device, where there is none, and what real ones do not do on
# demand. A program by itself, since the functions are defined in it.
check_PROGRAMS += tests/unit/verbs_double_test
tests_unit_verbs_double_test_SOURCES = \
  tests/unit/transport/ends.hpp \
  tests/unit/transport/verbs_double/card.cpp \
  tests/unit/transport/verbs_double/card.hpp \
  tests/unit/transport/verbs_double/cards_of_each_test.cpp \
  tests/unit/transport/verbs_double/ends.hpp \
  tests/unit/transport/verbs_double/objects.hpp \
  tests/unit/transport/verbs_double/verbs.cpp \
  tests/unit/transport/verbs_double/work.cpp \
  tests/unit/transport/verbs_double_unit.cpp
tests_unit_verbs_double_test_CPPFLAGS = $(unit_cppflags)
tests_unit_verbs_double_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_verbs_double_test_LDADD = $(unit_ldadd)
tests_unit_verbs_double_test_LDFLAGS = $(AM_LDFLAGS) $(OPENMP_CXXFLAGS)
EXTRA_DIST += \
  tests/unit/transport/box_test.cpp \
  tests/unit/transport/contract_test.cpp \
  tests/unit/transport/datagram_channel_test.cpp \
  tests/unit/transport/device_choice_test.cpp \
  tests/unit/transport/kernel_asker_test.cpp \
  tests/unit/transport/lane_test.cpp \
  tests/unit/transport/node_watch_test.cpp \
  tests/unit/transport/port_counters_test.cpp \
  tests/unit/transport/rail_choice_test.cpp \
  tests/unit/transport/registration_cache_test.cpp \
  tests/unit/transport/shm_test.cpp \
  tests/unit/transport/shm_failure_test.cpp \
  tests/unit/transport/shm_sleep_test.cpp \
  tests/unit/transport/shm_stall_test.cpp \
  tests/unit/transport/verbs_test.cpp \
  tests/unit/transport/verbs_agreement_test.cpp \
  tests/unit/transport/verbs_choice_test.cpp \
  tests/unit/transport/verbs_cold_test.cpp \
  tests/unit/transport/verbs_device_test.cpp \
  tests/unit/transport/verbs_memory_test.cpp \
  tests/unit/transport/verbs_rails_test.cpp \
  tests/unit/transport/verbs_sleep_test.cpp \
  tests/unit/transport/verbs_trust_test.cpp
