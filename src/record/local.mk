libpeal_core_la_SOURCES += \
  src/record/call_scope.hpp \
  src/record/event_log.hpp \
  src/record/layout.hpp \
  src/record/recorder.hpp \
  src/record/wait_clock.hpp
if UNITS
libpeal_core_la_SOURCES += src/record/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/record/call_scope.cpp \
  src/record/event_log.cpp \
  src/record/recorder.cpp
endif
