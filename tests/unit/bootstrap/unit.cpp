// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/bootstrap/client_test.cpp"
#include "unit/bootstrap/owner_test.cpp"
