check_PROGRAMS += tests/unit/transport_test
tests_unit_transport_test_SOURCES = \
  tests/unit/transport/contract.hpp \
  tests/unit/transport/ends.hpp \
  tests/unit/transport/failing_memory.cpp \
  tests/unit/transport/failing_memory.hpp \
  tests/unit/transport/talker.hpp \
  tests/unit/transport/shm/unit.cpp \
  tests/unit/transport/verbs/unit.cpp
tests_unit_transport_test_CPPFLAGS = $(unit_cppflags)
tests_unit_transport_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_transport_test_LDADD = $(unit_ldadd)

# Devices of this process's own stand in for libibverbs: the tests of the transport on devices, and those of what real ones do not do on demand.
# A program by itself, since the functions are defined in it.
check_PROGRAMS += tests/unit/verbs_double_test
tests_unit_verbs_double_test_SOURCES = \
  tests/unit/transport/contract.hpp \
  tests/unit/transport/ends.hpp \
  tests/double/arbitrary_packets.cpp \
  tests/double/arbitrary_packets.hpp \
  tests/unit/transport/verbs/double/card.cpp \
  tests/unit/transport/verbs/double/card.hpp \
  tests/unit/transport/verbs/double/cards_of_each.cpp \
  tests/unit/transport/verbs/double/elsewhere.cpp \
  tests/unit/transport/verbs/double/ends.hpp \
  tests/unit/transport/verbs/incast.hpp \
  tests/unit/transport/verbs/double/fabric/fabric.cpp \
  tests/unit/transport/verbs/double/fabric/fabric.hpp \
  tests/unit/transport/verbs/double/fabric/schedule.cpp \
  tests/unit/transport/verbs/double/fabric/schedule.hpp \
  tests/unit/transport/verbs/double/injection.cpp \
  tests/unit/transport/verbs/double/injection.hpp \
  tests/unit/transport/verbs/double/objects.hpp \
  tests/unit/transport/verbs/double/port.cpp \
  tests/unit/transport/verbs/double/port.hpp \
  tests/unit/transport/verbs/double/queue_pairs.cpp \
  tests/double/raw_end.cpp \
  tests/double/raw_end.hpp \
  tests/unit/transport/verbs/double/states.cpp \
  tests/unit/transport/verbs/double/states.hpp \
  tests/unit/transport/verbs/double/timeline.cpp \
  tests/unit/transport/verbs/double/timeline.hpp \
  tests/unit/transport/verbs/double/verbs.cpp \
  tests/unit/transport/verbs/double/wire.cpp \
  tests/unit/transport/verbs/double/wire.hpp \
  tests/unit/transport/verbs/double/work.cpp \
  tests/unit/transport/verbs/double_unit.cpp
tests_unit_verbs_double_test_CPPFLAGS = $(unit_cppflags)
tests_unit_verbs_double_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_verbs_double_test_LDADD = $(unit_ldadd)

# The same tests of the transport on devices, on real ones: in the lab, and in the check where there are any.
check_PROGRAMS += tests/lab/devices_test
tests_lab_devices_test_SOURCES = \
  tests/unit/transport/contract.hpp \
  tests/unit/transport/ends.hpp \
  tests/unit/transport/verbs/devices_unit.cpp
tests_lab_devices_test_CPPFLAGS = $(unit_cppflags)
tests_lab_devices_test_CXXFLAGS = $(unit_cxxflags)
tests_lab_devices_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/transport/contract_test.cpp \
  tests/unit/transport/learnt_table_test.cpp \
  tests/unit/transport/receiver_test.cpp \
  tests/unit/transport/shm/bells_test.cpp \
  tests/unit/transport/shm/box_test.cpp \
  tests/unit/transport/shm/boxes_test.cpp \
  tests/unit/transport/shm/bulk/claim_test.cpp \
  tests/unit/transport/shm/bulk/copy_choice_test.cpp \
  tests/unit/transport/shm/bulk/direct_copy_test.cpp \
  tests/unit/transport/shm/bulk/staging_test.cpp \
  tests/unit/transport/shm/inbox_test.cpp \
  tests/unit/transport/shm/incoming_boxes_test.cpp \
  tests/unit/transport/shm/bulk/pace_test.cpp \
  tests/unit/transport/shm/lap_choice_test.cpp \
  tests/unit/transport/shm/parcels_test.cpp \
  tests/unit/transport/shm/parts_test.cpp \
  tests/unit/transport/shm/remote_wakeup_test.cpp \
  tests/unit/transport/shm/shm_transport_failure_test.cpp \
  tests/unit/transport/shm/shm_transport_idle_test.cpp \
  tests/unit/transport/shm/shm_transport_long_test.cpp \
  tests/unit/transport/shm/shm_transport_memory_test.cpp \
  tests/unit/transport/shm/shm_transport_stall_test.cpp \
  tests/unit/transport/shm/shm_transport_test.cpp \
  tests/unit/transport/shm/shm_transport_ways_test.cpp \
  tests/unit/transport/shm/write_choice_test.cpp \
  tests/unit/transport/short_path_test.cpp \
  tests/unit/transport/verbs/addresses_test.cpp \
  tests/unit/transport/verbs/authenticator_test.cpp \
  tests/unit/transport/verbs/bounded_queue_test.cpp \
  tests/unit/transport/verbs/bulk/exposures_test.cpp \
  tests/unit/transport/verbs/bulk/fetch_pacing_test.cpp \
  tests/unit/transport/verbs/bulk/fetch_progress_test.cpp \
  tests/unit/transport/verbs/bulk/links_test.cpp \
  tests/unit/transport/verbs/bulk/pieces/block_places_test.cpp \
  tests/unit/transport/verbs/bulk/pieces/block_ranges_test.cpp \
  tests/unit/transport/verbs/bulk/pieces/busy_hosts.hpp \
  tests/unit/transport/verbs/bulk/pieces/further_keys_lies_test.cpp \
  tests/unit/transport/verbs/bulk/pieces/further_keys_test.cpp \
  tests/unit/transport/verbs/bulk/pieces/packed_payload_test.cpp \
  tests/unit/transport/verbs/bulk/pieces/pieces_test.cpp \
  tests/unit/transport/verbs/bulk/pieces/spare_buffers_test.cpp \
  tests/unit/transport/verbs/bulk/reads_test.cpp \
  tests/double/fabric_test.cpp \
  tests/double/port_test.cpp \
  tests/double/timeline_test.cpp \
  tests/double/wire_test.cpp \
  tests/double/work_test.cpp \
  tests/unit/transport/verbs/connect/cold_traffic_test.cpp \
  tests/unit/transport/verbs/connect/device_events_test.cpp \
  tests/unit/transport/verbs/connect/least_used_test.cpp \
  tests/unit/transport/verbs/connect/lifetime_test.cpp \
  tests/unit/transport/verbs/connect/handshake_packing_test.cpp \
  tests/unit/transport/verbs/connect/pairs/link_returns_test.cpp \
  tests/unit/transport/verbs/connect/pairs/pair_maker_test.cpp \
  tests/unit/transport/verbs/connect/random_traffic.hpp \
  tests/unit/transport/verbs/connect/reconnector_pairs_test.cpp \
  tests/unit/transport/verbs/connect/reconnector_patience_test.cpp \
  tests/unit/transport/verbs/connect/reconnector_pieces_test.cpp \
  tests/unit/transport/verbs/connect/reconnector_test.cpp \
  tests/unit/transport/verbs/connections_test.cpp \
  tests/unit/transport/verbs/datagram/datagram_channel_test.cpp \
  tests/unit/transport/verbs/datagram/datagrams_test.cpp \
  tests/unit/transport/verbs/datagram/kernel_prober_test.cpp \
  tests/unit/transport/verbs/datagram/node_watch_test.cpp \
  tests/unit/transport/verbs/datagram/routes_test.cpp \
  tests/unit/transport/verbs/device/completion_channel_test.cpp \
  tests/unit/transport/verbs/device/device_choice_machines_test.cpp \
  tests/unit/transport/verbs/device/device_choice_test.cpp \
  tests/unit/transport/verbs/device/device_memory_test.cpp \
  tests/unit/transport/verbs/device/device_test.cpp \
  tests/unit/transport/verbs/device/network_clusters_test.cpp \
  tests/unit/transport/verbs/device/network_test.cpp \
  tests/unit/transport/verbs/device/queue_pair_test.cpp \
  tests/unit/transport/verbs/device/rail_choice_test.cpp \
  tests/unit/transport/verbs/device/registration_cache_test.cpp \
  tests/unit/transport/verbs/device/slots_test.cpp \
  tests/unit/transport/verbs/eager/credits_test.cpp \
  tests/unit/transport/verbs/eager/eager_channel_test.cpp \
  tests/unit/transport/verbs/eager/held_packets_test.cpp \
  tests/unit/transport/verbs/eager/sent_requests_test.cpp \
  tests/unit/transport/verbs/endpoint/bulk_pairs_test.cpp \
  tests/unit/transport/verbs/endpoint/pair_choice_test.cpp \
  tests/unit/transport/verbs/endpoint/port_counters_test.cpp \
  tests/unit/transport/verbs/endpoint/receive_budget_test.cpp \
  tests/unit/transport/verbs/endpoint/settings_test.cpp \
  tests/unit/transport/verbs/endpoint/work_id_test.cpp \
  tests/unit/transport/verbs/setup/configuration_test.cpp \
  tests/unit/transport/verbs/sleeper_test.cpp \
  tests/unit/transport/verbs/verbs_failures_test.cpp \
  tests/unit/transport/verbs/connect/promoter_shortage_test.cpp \
  tests/unit/transport/verbs/verbs_transport_cold_test.cpp \
  tests/unit/transport/verbs/verbs_transport_contract_test.cpp \
  tests/unit/transport/verbs/connect/promoter_places_test.cpp \
  tests/unit/transport/verbs/verbs_transport_device_test.cpp \
  tests/unit/transport/verbs/verbs_transport_memory_test.cpp \
  tests/unit/transport/verbs/bulk/fetch_pacing_incast_test.cpp \
  tests/unit/transport/verbs/endpoint/receive_budget_incast_test.cpp \
  tests/unit/transport/verbs/verbs_transport_networks_test.cpp \
  tests/unit/transport/verbs/verbs_transport_rails_test.cpp \
  tests/unit/transport/verbs/bulk/fetcher_stream_test.cpp \
  tests/unit/transport/verbs/verbs_transport_test.cpp \
  tests/double/arbitrary_packets_test.cpp \
  tests/unit/transport/verbs/verbs_transport_trust_test.cpp \
  tests/unit/transport/verbs/parsing_test.cpp \
  tests/unit/transport/verbs/wire_test.cpp
