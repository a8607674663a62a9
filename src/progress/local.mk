libpeal_core_la_SOURCES += \
  src/progress/deferred_calls.hpp \
  src/progress/engine.hpp \
  src/progress/engine_sleeper.hpp \
  src/progress/sleepers/event_descriptor.hpp \
  src/progress/sleepers/family.hpp \
  src/progress/sleepers/helper_thread.hpp \
  src/progress/lock.hpp \
  src/progress/sources.hpp \
  src/progress/wait_policy.hpp \
  src/progress/wakeup.hpp \
  src/progress/yield_costs.hpp
if UNITS
libpeal_core_la_SOURCES += src/progress/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/progress/lock.cpp \
  src/progress/engine.cpp \
  src/progress/engine_sleeper.cpp \
  src/progress/sleepers/event_descriptor.cpp \
  src/progress/sleepers/family.cpp \
  src/progress/sleepers/helper_thread.cpp \
  src/progress/sleep.cpp \
  src/progress/sources.cpp \
  src/progress/wait_policy.cpp \
  src/progress/wakeup.cpp \
  src/progress/yield_costs.cpp
endif
