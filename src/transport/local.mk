libpeal_core_la_SOURCES += \
  src/transport/contract.hpp \
  src/transport/self/self_transport.cpp \
  src/transport/self/self_transport.hpp \
  src/transport/shm/box.hpp \
  src/transport/shm/claim.hpp \
  src/transport/shm/direct_copy.cpp \
  src/transport/shm/direct_copy.hpp \
  src/transport/shm/fetcher.cpp \
  src/transport/shm/fetcher.hpp \
  src/transport/shm/helper.cpp \
  src/transport/shm/helper.hpp \
  src/transport/shm/inbox.hpp \
  src/transport/shm/layout.hpp \
  src/transport/shm/pace.hpp \
  src/transport/shm/parcels.cpp \
  src/transport/shm/parcels.hpp \
  src/transport/shm/parts.hpp \
  src/transport/shm/shm_transport.cpp \
  src/transport/shm/shm_transport.hpp \
  src/transport/shm/staging.cpp \
  src/transport/shm/staging.hpp
