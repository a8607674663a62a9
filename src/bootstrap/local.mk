libpeal_core_la_SOURCES += \
  src/bootstrap/client.cpp \
  src/bootstrap/client.hpp \
  src/bootstrap/owner.cpp \
  src/bootstrap/owner.hpp
