// The tests of verbs on devices, compiled as one.
#include "unit/transport/verbs/verbs_cold_test.cpp"
#include "unit/transport/verbs/verbs_memory_test.cpp"
#include "unit/transport/verbs/verbs_rails_test.cpp"
#include "unit/transport/verbs/verbs_sleep_test.cpp"
#include "unit/transport/verbs/verbs_test.cpp"
