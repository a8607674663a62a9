libpeal_core_la_SOURCES += \
  src/comm/agreement.cpp \
  src/comm/agreement.hpp \
  src/comm/checks.cpp \
  src/comm/checks.hpp \
  src/comm/collective_calls.cpp \
  src/comm/communicator_calls.cpp \
  src/comm/communicator_state.hpp \
  src/comm/counters_text.cpp \
  src/comm/counters_text.hpp \
  src/comm/environment_calls.cpp \
  src/comm/failures.cpp \
  src/comm/failure_news.hpp \
  src/comm/job.cpp \
  src/comm/job.hpp \
  src/comm/lane.cpp \
  src/comm/lane.hpp \
  src/comm/lane_count.cpp \
  src/comm/lane_count.hpp \
  src/comm/message_calls.cpp \
  src/comm/node_meeting.cpp \
  src/comm/node_meeting.hpp \
  src/comm/operation_calls.cpp \
  src/comm/postings.hpp \
  src/comm/sleeper_calls.cpp \
  src/comm/two_steps.cpp \
  src/comm/two_steps.hpp \
  src/comm/waiting.hpp
