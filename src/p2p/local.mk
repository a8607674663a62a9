libpeal_core_la_SOURCES += \
  src/p2p/contexts.hpp \
  src/p2p/chain_index.hpp \
  src/p2p/linked_list.hpp \
  src/p2p/matching.hpp \
  src/p2p/messaging.hpp \
  src/p2p/operation.hpp \
  src/p2p/operation_pool.hpp \
  src/p2p/rendezvous.hpp \
  src/p2p/team.hpp \
  src/p2p/unexpected.hpp
if UNITS
libpeal_core_la_SOURCES += src/p2p/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/p2p/failures.cpp \
  src/p2p/matching.cpp \
  src/p2p/messaging.cpp \
  src/p2p/operation_pool.cpp \
  src/p2p/receive.cpp \
  src/p2p/rendezvous.cpp \
  src/p2p/send.cpp \
  src/p2p/unexpected.cpp
endif
