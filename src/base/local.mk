libpeal_core_la_SOURCES += \
  src/base/cache_line.hpp \
  src/base/config.cpp \
  src/base/config.hpp \
  src/base/copy.cpp \
  src/base/copy.hpp \
  src/base/error.cpp \
  src/base/error_text.hpp \
  src/base/log.cpp \
  src/base/log.hpp \
  src/base/uncaught.cpp \
  src/base/uncaught.hpp \
  src/base/variables.cpp
