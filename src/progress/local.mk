libpeal_core_la_SOURCES += \
  src/progress/engine.cpp \
  src/progress/engine.hpp \
  src/progress/fork_guard.cpp \
  src/progress/fork_guard.hpp \
  src/progress/wait_policy.hpp
