libpeal_core_la_SOURCES += \
  src/collective/collectives.hpp \
  src/collective/schedule.hpp
