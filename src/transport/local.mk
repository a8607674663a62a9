libpeal_core_la_SOURCES += \
  src/transport/contract.hpp \
  src/transport/node_access.hpp \
  src/transport/receiver.cpp \
  src/transport/receiver.hpp \
  src/transport/self/self_transport.cpp \
  src/transport/self/self_transport.hpp \
  src/transport/shm/bells.hpp \
  src/transport/shm/box.hpp \
  src/transport/shm/claim.hpp \
  src/transport/shm/direct_copy.hpp \
  src/transport/shm/fetcher.hpp \
  src/transport/shm/helper.hpp \
  src/transport/shm/inbox.hpp \
  src/transport/shm/layout.hpp \
  src/transport/shm/pace.hpp \
  src/transport/shm/parcels.hpp \
  src/transport/shm/parts.hpp \
  src/transport/shm/shm_transport.hpp \
  src/transport/shm/staging.hpp \
  src/transport/short_path.hpp \
  src/transport/verbs/addresses.hpp \
  src/transport/verbs/bounded_queue.hpp \
  src/transport/verbs/bulk/bulk_chain.hpp \
  src/transport/verbs/bulk/exposures.hpp \
  src/transport/verbs/bulk/fetch_progress.hpp \
  src/transport/verbs/bulk/fetcher.hpp \
  src/transport/verbs/bulk/further_rails.hpp \
  src/transport/verbs/bulk/interface.hpp \
  src/transport/verbs/bulk/links.hpp \
  src/transport/verbs/bulk/payload_header.hpp \
  src/transport/verbs/bulk/payloads.hpp \
  src/transport/verbs/bulk/pusher.hpp \
  src/transport/verbs/bulk/reads.hpp \
  src/transport/verbs/bulk/staged.hpp \
  src/transport/verbs/bulk/writer.hpp \
  src/transport/verbs/connect/connector.hpp \
  src/transport/verbs/connect/device_events.hpp \
  src/transport/verbs/connect/failure_notices.hpp \
  src/transport/verbs/connect/handshake.hpp \
  src/transport/verbs/connect/interface.hpp \
  src/transport/verbs/connect/lifetime.hpp \
  src/transport/verbs/connect/promoter.hpp \
  src/transport/verbs/connect/retired_pairs.hpp \
  src/transport/verbs/connection.hpp \
  src/transport/verbs/connections.hpp \
  src/transport/verbs/counters.hpp \
  src/transport/verbs/datagram/datagram.hpp \
  src/transport/verbs/datagram/datagram_channel.hpp \
  src/transport/verbs/datagram/datagrams.hpp \
  src/transport/verbs/datagram/handshake_port.hpp \
  src/transport/verbs/datagram/interface.hpp \
  src/transport/verbs/datagram/kernel_asker.hpp \
  src/transport/verbs/datagram/node_watch.hpp \
  src/transport/verbs/device/completion_channel.hpp \
  src/transport/verbs/device/device.hpp \
  src/transport/verbs/device/device_choice.hpp \
  src/transport/verbs/device/interface.hpp \
  src/transport/verbs/device/inventory.hpp \
  src/transport/verbs/device/port_counters.hpp \
  src/transport/verbs/device/queue_pair.hpp \
  src/transport/verbs/device/rail_choice.hpp \
  src/transport/verbs/device/registration_cache.hpp \
  src/transport/verbs/device/slots.hpp \
  src/transport/verbs/eager/eager_channel.hpp \
  src/transport/verbs/eager/interface.hpp \
  src/transport/verbs/eager/sender.hpp \
  src/transport/verbs/lane.hpp \
  src/transport/verbs/peer_events.hpp \
  src/transport/verbs/plan.hpp \
  src/transport/verbs/sleeper.hpp \
  src/transport/verbs/trial.hpp \
  src/transport/verbs/verbs_state.hpp \
  src/transport/verbs/verbs_transport.hpp \
  src/transport/verbs/wire.hpp
if UNITS
libpeal_core_la_SOURCES += src/transport/shm/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/transport/shm/bells.cpp \
  src/transport/shm/direct_copy.cpp \
  src/transport/shm/fetcher.cpp \
  src/transport/shm/helper.cpp \
  src/transport/shm/parcels.cpp \
  src/transport/shm/shm_transport.cpp \
  src/transport/shm/staging.cpp
endif
if UNITS
libpeal_core_la_SOURCES += src/transport/verbs/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/transport/verbs/addresses.cpp \
  src/transport/verbs/bulk/fetcher.cpp \
  src/transport/verbs/bulk/further_rails.cpp \
  src/transport/verbs/bulk/payloads.cpp \
  src/transport/verbs/bulk/pusher.cpp \
  src/transport/verbs/bulk/staged.cpp \
  src/transport/verbs/bulk/writer.cpp \
  src/transport/verbs/connect/connector.cpp \
  src/transport/verbs/connect/device_events.cpp \
  src/transport/verbs/connect/failure_notices.cpp \
  src/transport/verbs/connect/promoter.cpp \
  src/transport/verbs/connect/retired_pairs.cpp \
  src/transport/verbs/connections.cpp \
  src/transport/verbs/counters.cpp \
  src/transport/verbs/datagram/datagram_channel.cpp \
  src/transport/verbs/datagram/datagrams.cpp \
  src/transport/verbs/datagram/handshake_port.cpp \
  src/transport/verbs/datagram/kernel_asker.cpp \
  src/transport/verbs/datagram/node_watch.cpp \
  src/transport/verbs/device/completion_channel.cpp \
  src/transport/verbs/device/device.cpp \
  src/transport/verbs/device/device_choice.cpp \
  src/transport/verbs/device/inventory.cpp \
  src/transport/verbs/device/port_counters.cpp \
  src/transport/verbs/device/queue_pair.cpp \
  src/transport/verbs/device/rail_choice.cpp \
  src/transport/verbs/device/registration_cache.cpp \
  src/transport/verbs/device/slots.cpp \
  src/transport/verbs/eager/sender.cpp \
  src/transport/verbs/lane.cpp \
  src/transport/verbs/plan.cpp \
  src/transport/verbs/sleeper.cpp \
  src/transport/verbs/trial.cpp \
  src/transport/verbs/verbs_failures.cpp \
  src/transport/verbs/verbs_transport.cpp
endif
