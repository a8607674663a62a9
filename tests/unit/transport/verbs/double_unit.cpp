// The tests of verbs on the doubles of devices, compiled as one.
#include "unit/transport/verbs/verbs_agreement_test.cpp"
#include "unit/transport/verbs/verbs_cold_test.cpp"
#include "unit/transport/verbs/verbs_device_test.cpp"
#include "unit/transport/verbs/verbs_sleep_test.cpp"
#include "unit/transport/verbs/verbs_test.cpp"
#include "unit/transport/verbs/verbs_trust_test.cpp"
