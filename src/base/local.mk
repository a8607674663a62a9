libpeal_core_la_SOURCES += \
  src/base/cache_line.hpp \
  src/base/page.hpp \
  src/base/copy.hpp \
  src/base/timing/copy_time.hpp \
  src/base/error_text.hpp \
  src/base/log.hpp \
  src/base/on_demand/shared_library.hpp \
  src/base/processor_features.hpp \
  src/base/settings.hpp \
  src/base/timing/ticks.hpp \
  src/base/uncaught.hpp \
  src/base/value_types.hpp \
  src/base/variables.hpp
if UNITS
libpeal_core_la_SOURCES += src/base/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/base/copy.cpp \
  src/base/error.cpp \
  src/base/log.cpp \
  src/base/on_demand/shared_library.cpp \
  src/base/settings.cpp \
  src/base/timing/ticks.cpp \
  src/base/uncaught.cpp \
  src/base/value_types.cpp \
  src/base/variables.cpp
endif
