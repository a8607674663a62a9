libpeal_core_la_SOURCES += \
  src/transport/contract.hpp \
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
  src/transport/verbs/bulk_chain.hpp \
  src/transport/verbs/completion_channel.hpp \
  src/transport/verbs/connection.hpp \
  src/transport/verbs/connections.hpp \
  src/transport/verbs/connector.hpp \
  src/transport/verbs/counters.hpp \
  src/transport/verbs/datagram.hpp \
  src/transport/verbs/datagram_channel.hpp \
  src/transport/verbs/datagrams.hpp \
  src/transport/verbs/device.hpp \
  src/transport/verbs/device_choice.hpp \
  src/transport/verbs/device_events.hpp \
  src/transport/verbs/exposures.hpp \
  src/transport/verbs/failure_notices.hpp \
  src/transport/verbs/fetch_progress.hpp \
  src/transport/verbs/fetcher.hpp \
  src/transport/verbs/further_rails.hpp \
  src/transport/verbs/handshake_port.hpp \
  src/transport/verbs/inventory.hpp \
  src/transport/verbs/kernel_asker.hpp \
  src/transport/verbs/lane.hpp \
  src/transport/verbs/node_watch.hpp \
  src/transport/verbs/payload_header.hpp \
  src/transport/verbs/payloads.hpp \
  src/transport/verbs/plan.hpp \
  src/transport/verbs/port_counters.hpp \
  src/transport/verbs/promoter.hpp \
  src/transport/verbs/pusher.hpp \
  src/transport/verbs/queue_pair.hpp \
  src/transport/verbs/rail_choice.hpp \
  src/transport/verbs/registration_cache.hpp \
  src/transport/verbs/retired_pairs.hpp \
  src/transport/verbs/sender.hpp \
  src/transport/verbs/sleeper.hpp \
  src/transport/verbs/slots.hpp \
  src/transport/verbs/staged.hpp \
  src/transport/verbs/verbs_state.hpp \
  src/transport/verbs/verbs_transport.hpp \
  src/transport/verbs/wire.hpp \
  src/transport/verbs/writer.hpp
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
  src/transport/verbs/completion_channel.cpp \
  src/transport/verbs/connections.cpp \
  src/transport/verbs/connector.cpp \
  src/transport/verbs/counters.cpp \
  src/transport/verbs/datagram_channel.cpp \
  src/transport/verbs/datagrams.cpp \
  src/transport/verbs/device.cpp \
  src/transport/verbs/device_choice.cpp \
  src/transport/verbs/device_events.cpp \
  src/transport/verbs/failure_notices.cpp \
  src/transport/verbs/fetcher.cpp \
  src/transport/verbs/further_rails.cpp \
  src/transport/verbs/handshake_port.cpp \
  src/transport/verbs/inventory.cpp \
  src/transport/verbs/kernel_asker.cpp \
  src/transport/verbs/lane.cpp \
  src/transport/verbs/node_watch.cpp \
  src/transport/verbs/payloads.cpp \
  src/transport/verbs/plan.cpp \
  src/transport/verbs/port_counters.cpp \
  src/transport/verbs/promoter.cpp \
  src/transport/verbs/pusher.cpp \
  src/transport/verbs/queue_pair.cpp \
  src/transport/verbs/rail_choice.cpp \
  src/transport/verbs/registration_cache.cpp \
  src/transport/verbs/retired_pairs.cpp \
  src/transport/verbs/sender.cpp \
  src/transport/verbs/sleeper.cpp \
  src/transport/verbs/slots.cpp \
  src/transport/verbs/staged.cpp \
  src/transport/verbs/verbs_failures.cpp \
  src/transport/verbs/verbs_transport.cpp \
  src/transport/verbs/writer.cpp
endif
