// The tests of verbs on the doubles of devices, compiled as one.
#include "double/arbitrary_packets_test.cpp"
#include "double/fabric_test.cpp"
#include "double/port_test.cpp"
#include "double/timeline_test.cpp"
#include "double/wire_test.cpp"
#include "double/work_test.cpp"
#include "unit/transport/verbs/datagram/routes_test.cpp"
#include "unit/transport/verbs/device/device_test.cpp"
#include "unit/transport/verbs/device/slots_test.cpp"
#include "unit/transport/verbs/setup/configuration_test.cpp"
#include "unit/transport/verbs/sleeper_test.cpp"
#include "unit/transport/verbs/verbs_failures_test.cpp"
#include "unit/transport/verbs/verbs_transport_cold_test.cpp"
#include "unit/transport/verbs/verbs_transport_crowd_test.cpp"
#include "unit/transport/verbs/verbs_transport_incast_test.cpp"
#include "unit/transport/verbs/verbs_transport_shortage_test.cpp"
#include "unit/transport/verbs/verbs_transport_test.cpp"
#include "unit/transport/verbs/verbs_transport_trust_test.cpp"

// These take most of the time under ThreadSanitizer, and one thread drives all of each.
#ifndef __SANITIZE_THREAD__
#include "unit/transport/verbs/verbs_transport_contract_test.cpp"
#include "unit/transport/verbs/verbs_transport_device_test.cpp"
#include "unit/transport/verbs/verbs_transport_networks_test.cpp"
#include "unit/transport/verbs/verbs_transport_pieces_test.cpp"
#include "unit/transport/verbs/verbs_transport_rails_test.cpp"
#endif
