// The other tests of this folder, compiled as one.
#include "unit/collective/choice_test.cpp"
#include "unit/collective/cost_basis_test.cpp"
#include "unit/collective/cost_test.cpp"
#include "unit/collective/node_map_test.cpp"
#include "unit/collective/reduction_test.cpp"
#include "unit/collective/tuning_test.cpp"
