// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/bootstrap/client_test.cpp"
#include "unit/bootstrap/deaths_test.cpp"
#include "unit/bootstrap/owner_test.cpp"
#include "unit/bootstrap/pmix_library_test.cpp"
#include "unit/bootstrap/start_host_test.cpp"
#include "unit/bootstrap/start_layout_test.cpp"
#include "unit/bootstrap/start_member_test.cpp"
