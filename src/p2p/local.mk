libpeal_core_la_SOURCES += src/p2p/messaging.hpp src/p2p/team.hpp
