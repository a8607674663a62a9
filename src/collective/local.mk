libpeal_core_la_SOURCES += \
  src/collective/algorithms.cpp \
  src/collective/algorithms.hpp \
  src/collective/algorithms/moves/alltoall.hpp \
  src/collective/algorithms/by_node.hpp \
  src/collective/algorithms/reductions/halving.hpp \
  src/collective/algorithms/reductions/joined_scratch.hpp \
  src/collective/algorithms/pieces.hpp \
  src/collective/algorithms/pieces_by_node.hpp \
  src/collective/algorithms/tree.hpp \
  src/collective/choice/cost_sum.hpp \
  src/collective/call_key.hpp \
  src/collective/call_subject.hpp \
  src/collective/choice/choice.hpp \
  src/collective/collectives.cpp \
  src/collective/collectives.hpp \
  src/collective/collectives_failures.cpp \
  src/collective/collectives_state.hpp \
  src/collective/choice/cost.hpp \
  src/collective/choice/cost_basis.hpp \
  src/collective/choice/cost_parameters.hpp \
  src/collective/choice/cost_rules.hpp \
  src/collective/direct/arena.cpp \
  src/collective/direct/arena.hpp \
  src/collective/direct/block_pages.hpp \
  src/collective/direct/call_log.hpp \
  src/collective/direct/calls/long_call.cpp \
  src/collective/direct/calls/long_call.hpp \
  src/collective/direct/calls/quick_call.hpp \
  src/collective/direct/calls/short_call.cpp \
  src/collective/direct/calls/short_call.hpp \
  src/collective/direct/calls/short_part.hpp \
  src/collective/direct/channel.cpp \
  src/collective/direct/channel.hpp \
  src/collective/direct/channel_reviews.cpp \
  src/collective/direct/channel_ways.cpp \
  src/collective/direct/direct_context.hpp \
  src/collective/direct/entered_call.hpp \
  src/collective/direct/flags.hpp \
  src/collective/direct/groups/group_call.cpp \
  src/collective/direct/groups/group_call.hpp \
  src/collective/direct/groups/group_flags.cpp \
  src/collective/direct/groups/group_flags.hpp \
  src/collective/direct/learnt_summary.hpp \
  src/collective/direct/learnt_ways.cpp \
  src/collective/direct/learnt_ways.hpp \
  src/collective/direct/price.cpp \
  src/collective/direct/price.hpp \
  src/collective/direct/slot.hpp \
  src/collective/kernels/avx2.cpp \
  src/collective/kernels/avx512.cpp \
  src/collective/kernels/baseline.cpp \
  src/collective/kernels/body.hpp \
  src/collective/kernels/join_order.hpp \
  src/collective/kernels/kernels.hpp \
  src/collective/node_map.hpp \
  src/collective/schedule_cache.cpp \
  src/collective/schedule_cache.hpp \
  src/collective/problem.hpp \
  src/collective/record.hpp \
  src/collective/kernels/reduction.cpp \
  src/collective/kernels/reduction.hpp \
  src/collective/run.cpp \
  src/collective/run.hpp \
  src/collective/schedule.cpp \
  src/collective/schedule.hpp \
  src/collective/choice/tuned_algorithm.hpp \
  src/collective/choice/tuning.hpp \
  src/collective/unit.cpp

# unit.cpp includes these, and algorithms.cpp all of the folder algorithms, a file an algorithm to read. Apart they take fifteen times as
# long. No object lies in that folder, so that it holds nothing else.
EXTRA_DIST += \
  src/collective/choice/cost_sum.cpp \
  src/collective/choice/choice.cpp \
  src/collective/choice/cost.cpp \
  src/collective/choice/cost_basis.cpp \
  src/collective/choice/cost_parameters.cpp \
  src/collective/node_map.cpp \
  src/collective/choice/tuned_algorithm.cpp \
  src/collective/choice/tuning.cpp \
  src/collective/algorithms/barrier_by_node.cpp \
  src/collective/algorithms/barrier_dissemination.cpp \
  src/collective/algorithms/barrier_flat.cpp \
  src/collective/algorithms/moves \
  src/collective/algorithms/reductions
# Not a program made from algorithms.cpp, as make would have it.
src/collective/algorithms: ;
