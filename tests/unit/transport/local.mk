check_PROGRAMS += tests/unit/transport_test
tests_unit_transport_test_SOURCES = \
  tests/unit/transport/ends.hpp \
  tests/unit/transport/shm/unit.cpp \
  tests/unit/transport/verbs/devices_unit.cpp \
  tests/unit/transport/verbs/unit.cpp
tests_unit_transport_test_CPPFLAGS = $(unit_cppflags)
tests_unit_transport_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_transport_test_LDADD = $(unit_ldadd)
tests_unit_transport_test_LDFLAGS = $(AM_LDFLAGS) $(OPENMP_CXXFLAGS)

# Devices of this process's own stand in for libibverbs: what is tested with a device, where there is none, and what real ones do not do on
# demand. A program by itself, since the functions are defined in it.
check_PROGRAMS += tests/unit/verbs_double_test
tests_unit_verbs_double_test_SOURCES = \
  tests/unit/transport/ends.hpp \
  tests/unit/transport/verbs/double/card.cpp \
  tests/unit/transport/verbs/double/card.hpp \
  tests/unit/transport/verbs/double/cards_of_each_test.cpp \
  tests/unit/transport/verbs/double/ends.hpp \
  tests/unit/transport/verbs/double/objects.hpp \
  tests/unit/transport/verbs/double/verbs.cpp \
  tests/unit/transport/verbs/double/work.cpp \
  tests/unit/transport/verbs/double_unit.cpp
tests_unit_verbs_double_test_CPPFLAGS = $(unit_cppflags)
tests_unit_verbs_double_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_verbs_double_test_LDADD = $(unit_ldadd)
tests_unit_verbs_double_test_LDFLAGS = $(AM_LDFLAGS) $(OPENMP_CXXFLAGS)
EXTRA_DIST += \
  tests/unit/transport/contract_test.cpp \
  tests/unit/transport/shm/box_test.cpp \
  tests/unit/transport/shm/shm_failure_test.cpp \
  tests/unit/transport/shm/shm_sleep_test.cpp \
  tests/unit/transport/shm/shm_stall_test.cpp \
  tests/unit/transport/shm/shm_test.cpp \
  tests/unit/transport/verbs/datagram_channel_test.cpp \
  tests/unit/transport/verbs/device_choice_test.cpp \
  tests/unit/transport/verbs/eager_channel_test.cpp \
  tests/unit/transport/verbs/kernel_asker_test.cpp \
  tests/unit/transport/verbs/lane_test.cpp \
  tests/unit/transport/verbs/links_test.cpp \
  tests/unit/transport/verbs/node_watch_test.cpp \
  tests/unit/transport/verbs/port_counters_test.cpp \
  tests/unit/transport/verbs/rail_choice_test.cpp \
  tests/unit/transport/verbs/registration_cache_test.cpp \
  tests/unit/transport/verbs/verbs_agreement_test.cpp \
  tests/unit/transport/verbs/verbs_choice_test.cpp \
  tests/unit/transport/verbs/verbs_cold_test.cpp \
  tests/unit/transport/verbs/verbs_device_test.cpp \
  tests/unit/transport/verbs/verbs_memory_test.cpp \
  tests/unit/transport/verbs/verbs_rails_test.cpp \
  tests/unit/transport/verbs/verbs_sleep_test.cpp \
  tests/unit/transport/verbs/verbs_test.cpp \
  tests/unit/transport/verbs/verbs_trust_test.cpp
