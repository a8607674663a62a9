// The tests of verbs on the doubles of devices, compiled as one.
#include "unit/transport/verbs_agreement_test.cpp"
#include "unit/transport/verbs_cold_test.cpp"
#include "unit/transport/verbs_device_test.cpp"
#include "unit/transport/verbs_sleep_test.cpp"
#include "unit/transport/verbs_test.cpp"
#include "unit/transport/verbs_trust_test.cpp"
