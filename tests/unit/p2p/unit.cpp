// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/p2p/failures_test.cpp"
#include "unit/p2p/matching_test.cpp"
#include "unit/p2p/messaging_test.cpp"
#include "unit/p2p/operation_test.cpp"
#include "unit/p2p/random_test.cpp"
