libpeal_core_la_SOURCES += \
  src/base/cache_line.hpp \
  src/base/page.hpp \
  src/base/config.hpp \
  src/base/copy.hpp \
  src/base/error_text.hpp \
  src/base/log.hpp \
  src/base/uncaught.hpp
if UNITS
libpeal_core_la_SOURCES += src/base/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/base/config.cpp \
  src/base/copy.cpp \
  src/base/error.cpp \
  src/base/log.cpp \
  src/base/uncaught.cpp \
  src/base/variables.cpp
endif
