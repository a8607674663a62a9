// The tests of algorithms, compiled as one.
#include "unit/collective/algorithms_test.cpp"
#include "unit/collective/collectives_test.cpp"
#include "unit/collective/failures_test.cpp"
#include "unit/collective/lengths_test.cpp"
#include "unit/collective/neighbors_test.cpp"
#include "unit/collective/prepared_test.cpp"
#include "unit/collective/symbolic_test.cpp"
