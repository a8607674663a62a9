check_PROGRAMS += tests/unit/collective_test
tests_unit_collective_test_SOURCES = \
  tests/unit/collective/algorithms_unit.cpp \
  tests/unit/collective/arrangements.hpp \
  tests/unit/collective/barrier_check.hpp \
  tests/unit/collective/kernels/ordered_sums.hpp \
  tests/unit/collective/kinds.hpp \
  tests/unit/collective/model.hpp \
  tests/unit/collective/ranks_in_one.hpp \
  tests/unit/collective/symbolic.cpp \
  tests/unit/collective/symbolic.hpp \
  tests/unit/collective/trial.hpp \
  tests/unit/collective/thrower.hpp \
  tests/unit/collective/unit.cpp
tests_unit_collective_test_CPPFLAGS = $(unit_cppflags)
tests_unit_collective_test_CXXFLAGS = $(unit_cxxflags)
tests_unit_collective_test_LDADD = $(unit_ldadd)
EXTRA_DIST += \
  tests/unit/collective/algorithms_test.cpp \
  tests/unit/collective/choice/choice_test.cpp \
  tests/unit/collective/collectives_test.cpp \
  tests/unit/collective/choice/cost_test.cpp \
  tests/unit/collective/choice/cost_basis_test.cpp \
  tests/unit/collective/failures_test.cpp \
  tests/unit/collective/lengths_test.cpp \
  tests/unit/collective/neighbors_test.cpp \
  tests/unit/collective/node_map_test.cpp \
  tests/unit/collective/prepared_test.cpp \
  tests/unit/collective/kernels/join_order_test.cpp \
  tests/unit/collective/kernels/reduction_test.cpp \
  tests/unit/collective/symbolic_test.cpp \
  tests/unit/collective/choice/tuned_algorithm_test.cpp \
  tests/unit/collective/choice/tuning_test.cpp
