libpeal_core_la_SOURCES += \
  src/comm/absences.hpp \
  src/comm/agreement.hpp \
  src/comm/call_record.hpp \
  src/comm/checked_calls.hpp \
  src/comm/checks.hpp \
  src/comm/communicator_state.hpp \
  src/comm/context_pool.hpp \
  src/comm/counters_text.hpp \
  src/comm/end_watch.hpp \
  src/comm/failure_news.hpp \
  src/comm/job.hpp \
  src/comm/lane.hpp \
  src/comm/lane_count.hpp \
  src/comm/node_list.hpp \
  src/comm/node_meeting.hpp \
  src/comm/postings.hpp \
  src/comm/queue_entries.cpp \
  src/comm/roll_call.hpp \
  src/comm/topology_shapes.cpp \
  src/comm/two_steps.hpp \
  src/comm/waiting.hpp \
  src/comm/world.cpp
if UNITS
libpeal_core_la_SOURCES += src/comm/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/comm/absences.cpp \
  src/comm/agreement.cpp \
  src/comm/call_record.cpp \
  src/comm/checked_calls.cpp \
  src/comm/checks.cpp \
  src/comm/collective_calls.cpp \
  src/comm/communicator_calls.cpp \
  src/comm/context_pool.cpp \
  src/comm/counters_text.cpp \
  src/comm/end_watch.cpp \
  src/comm/environment_calls.cpp \
  src/comm/failures.cpp \
  src/comm/job.cpp \
  src/comm/lane.cpp \
  src/comm/lane_count.cpp \
  src/comm/message_calls.cpp \
  src/comm/neighbor_calls.cpp \
  src/comm/node_list.cpp \
  src/comm/node_meeting.cpp \
  src/comm/operation_calls.cpp \
  src/comm/prepared_calls.cpp \
  src/comm/roll_call.cpp \
  src/comm/sleeper_calls.cpp \
  src/comm/two_steps.cpp
endif
