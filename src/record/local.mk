libpeal_core_la_SOURCES += \
  src/record/event_log.hpp \
  src/record/layout.hpp \
  src/record/recorder.hpp
if UNITS
libpeal_core_la_SOURCES += src/record/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/record/event_log.cpp \
  src/record/recorder.cpp
endif
