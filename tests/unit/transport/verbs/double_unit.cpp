// The tests of verbs on the doubles of devices, compiled as one.
#include "unit/transport/verbs/device/slots_test.cpp"
#include "unit/transport/verbs/setup/configuration_test.cpp"
#include "unit/transport/verbs/sleeper_test.cpp"
#include "unit/transport/verbs/verbs_failures_test.cpp"
#include "unit/transport/verbs/verbs_transport_cold_test.cpp"
#include "unit/transport/verbs/verbs_transport_device_test.cpp"
#include "unit/transport/verbs/verbs_transport_test.cpp"
#include "unit/transport/verbs/verbs_transport_trust_test.cpp"
