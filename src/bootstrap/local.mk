libpeal_core_la_SOURCES += \
  src/bootstrap/client.cpp \
  src/bootstrap/client.hpp \
  src/bootstrap/deaths.cpp \
  src/bootstrap/deaths.hpp \
  src/bootstrap/owner.cpp \
  src/bootstrap/owner.hpp \
  src/bootstrap/pmix_events.cpp \
  src/bootstrap/pmix_events.hpp \
  src/bootstrap/pmix_fence.cpp \
  src/bootstrap/pmix_fence.hpp \
  src/bootstrap/pmix_library.cpp \
  src/bootstrap/pmix_library.hpp \
  src/bootstrap/start_host.cpp \
  src/bootstrap/start_host.hpp \
  src/bootstrap/start_layout.cpp \
  src/bootstrap/start_layout.hpp \
  src/bootstrap/start_member.cpp \
  src/bootstrap/start_member.hpp
