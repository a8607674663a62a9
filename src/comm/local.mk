libpeal_core_la_SOURCES += \
  src/comm/calls/making.hpp \
  src/comm/calls/queue_entries.cpp \
  src/comm/recording.hpp \
  src/comm/calls/topology_shapes.cpp \
  src/comm/calls/two_steps.hpp \
  src/comm/calls/waiting.hpp \
  src/comm/checks/call_record.hpp \
  src/comm/checks/checked_calls.hpp \
  src/comm/checks/checks.hpp \
  src/comm/checks/stall_report.hpp \
  src/comm/communicator_state.hpp \
  src/comm/context_pool.hpp \
  src/comm/counters_text.hpp \
  src/comm/end/absences.hpp \
  src/comm/end/end_watch.hpp \
  src/comm/end/agreement_round.hpp \
  src/comm/end/failure_callback.hpp \
  src/comm/end/failure_list.hpp \
  src/comm/end/notes.hpp \
  src/comm/end/report_list.hpp \
  src/comm/end/survivors.hpp \
  src/comm/member_tree.hpp \
  src/comm/start/agreement.hpp \
  src/comm/start/fork_guard.hpp \
  src/comm/start/job.hpp \
  src/comm/start/lane.hpp \
  src/comm/start/lane_count.hpp \
  src/comm/start/node_list.hpp \
  src/comm/start/spin_bounds.hpp \
  src/comm/start/node_exchange.hpp \
  src/comm/start/world.cpp \
  src/comm/waits/wait_reporter.hpp
if UNITS
libpeal_core_la_SOURCES += src/comm/unit.cpp
else
libpeal_core_la_SOURCES += \
  src/comm/calls/collective_calls.cpp \
  src/comm/calls/communicator_calls.cpp \
  src/comm/calls/environment_calls.cpp \
  src/comm/calls/member_calls.cpp \
  src/comm/calls/message_calls.cpp \
  src/comm/calls/neighbor_calls.cpp \
  src/comm/calls/node_part_calls.cpp \
  src/comm/calls/operation_calls.cpp \
  src/comm/calls/pending_copy_calls.cpp \
  src/comm/calls/prepared_calls.cpp \
  src/comm/calls/probe_calls.cpp \
  src/comm/calls/sleeper_calls.cpp \
  src/comm/calls/survivor_calls.cpp \
  src/comm/calls/two_steps.cpp \
  src/comm/checks/call_record.cpp \
  src/comm/checks/checked_calls.cpp \
  src/comm/checks/checks.cpp \
  src/comm/checks/stall_report.cpp \
  src/comm/context_pool.cpp \
  src/comm/counters_text.cpp \
  src/comm/end/absences.cpp \
  src/comm/end/agreement_round.cpp \
  src/comm/end/end_watch.cpp \
  src/comm/end/failures.cpp \
  src/comm/end/survivors.cpp \
  src/comm/start/agreement.cpp \
  src/comm/start/fork_guard.cpp \
  src/comm/start/job.cpp \
  src/comm/start/lane.cpp \
  src/comm/start/lane_count.cpp \
  src/comm/start/node_list.cpp \
  src/comm/start/spin_bounds.cpp \
  src/comm/start/node_exchange.cpp \
  src/comm/waits/wait_reporter.cpp
endif
