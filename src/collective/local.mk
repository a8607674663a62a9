libpeal_core_la_SOURCES += \
  src/collective/algorithms.cpp \
  src/collective/algorithms.hpp \
  src/collective/algorithms/alltoall.hpp \
  src/collective/algorithms/by_node.hpp \
  src/collective/algorithms/halving.hpp \
  src/collective/algorithms/pieces.hpp \
  src/collective/algorithms/pieces_by_node.hpp \
  src/collective/algorithms/tree.hpp \
  src/collective/cost_sum.hpp \
  src/collective/call_key.hpp \
  src/collective/choice.hpp \
  src/collective/collectives.cpp \
  src/collective/collectives.hpp \
  src/collective/collectives_failures.cpp \
  src/collective/collectives_state.hpp \
  src/collective/cost.hpp \
  src/collective/cost_basis.hpp \
  src/collective/cost_parameters.hpp \
  src/collective/cost_rules.hpp \
  src/collective/direct/arena.cpp \
  src/collective/direct/arena.hpp \
  src/collective/direct/call_log.hpp \
  src/collective/direct/channel.cpp \
  src/collective/direct/channel.hpp \
  src/collective/direct/flags.hpp \
  src/collective/direct/long_play.cpp \
  src/collective/direct/long_play.hpp \
  src/collective/direct/play.cpp \
  src/collective/direct/play.hpp \
  src/collective/direct/price.cpp \
  src/collective/direct/price.hpp \
  src/collective/direct/direct_context.hpp \
  src/collective/direct/slot.hpp \
  src/collective/kernels/avx2.cpp \
  src/collective/kernels/avx512.cpp \
  src/collective/kernels/baseline.cpp \
  src/collective/kernels/body.hpp \
  src/collective/kernels/kernels.hpp \
  src/collective/node_map.hpp \
  src/collective/plan_cache.cpp \
  src/collective/plan_cache.hpp \
  src/collective/problem.hpp \
  src/collective/record.hpp \
  src/collective/reduction.cpp \
  src/collective/reduction.hpp \
  src/collective/run.cpp \
  src/collective/run.hpp \
  src/collective/schedule.cpp \
  src/collective/schedule.hpp \
  src/collective/tuning.hpp \
  src/collective/unit.cpp

# unit.cpp includes these, and algorithms.cpp all of the folder algorithms, a file an algorithm to read. Apart they take fifteen times as
# long. No object lies in that folder, so that it holds nothing else.
EXTRA_DIST += \
  src/collective/cost_sum.cpp \
  src/collective/choice.cpp \
  src/collective/cost.cpp \
  src/collective/cost_basis.cpp \
  src/collective/cost_parameters.cpp \
  src/collective/node_map.cpp \
  src/collective/tuning.cpp \
  src/collective/algorithms
# Not a program made from algorithms.cpp, as make would have it.
src/collective/algorithms: ;
