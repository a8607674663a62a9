// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/topology/core_sharing_test.cpp"
#include "unit/topology/core_time_test.cpp"
#include "unit/topology/distances_test.cpp"
#include "unit/topology/machine_test.cpp"
#include "unit/topology/processor_test.cpp"
#include "unit/topology/rank_groups_test.cpp"
