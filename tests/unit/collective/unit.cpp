// The other tests of this folder, compiled as one.
#include "unit/collective/choice/choice_test.cpp"
#include "unit/collective/choice/cost_basis_test.cpp"
#include "unit/collective/choice/cost_test.cpp"
#include "unit/collective/choice/tuned_algorithm_test.cpp"
#include "unit/collective/choice/tuning_test.cpp"
#include "unit/collective/kernels/join_order_test.cpp"
#include "unit/collective/kernels/reduction_test.cpp"
#include "unit/collective/node_map_test.cpp"
