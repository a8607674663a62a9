// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/api/data/serialization_test.cpp"
#include "unit/api/data/view_test.cpp"
#include "unit/api/job_of_one_test.cpp"
#include "unit/api/topology_test.cpp"
