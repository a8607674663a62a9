// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/api/job_of_one_test.cpp"
#include "unit/api/serialization_test.cpp"
#include "unit/api/topology_test.cpp"
#include "unit/api/view_test.cpp"
