// The tests of verbs on devices, compiled as one.
#include "unit/transport/verbs_cold_test.cpp"
#include "unit/transport/verbs_memory_test.cpp"
#include "unit/transport/verbs_rails_test.cpp"
#include "unit/transport/verbs_sleep_test.cpp"
#include "unit/transport/verbs_test.cpp"
