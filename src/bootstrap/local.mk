libpeal_core_la_SOURCES += src/bootstrap/client.hpp
