libpeal_core_la_SOURCES +=
