libpeal_core_la_SOURCES += src/collective/schedule.hpp
