libpeal_core_la_SOURCES += src/transport/contract.hpp
