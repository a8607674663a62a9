libpeal_core_la_SOURCES += \
  src/state/call_stack.cpp \
  src/state/call_stack.hpp \
  src/state/rank_page.hpp \
  src/state/rank_state.cpp \
  src/state/rank_state.hpp \
  src/state/wait_subject.hpp
