// The tests of verbs on real devices, compiled as one.
#include "unit/transport/verbs/sleeper_test.cpp"
#include "unit/transport/verbs/verbs_transport_cold_test.cpp"
#include "unit/transport/verbs/verbs_transport_contract_test.cpp"
#include "unit/transport/verbs/verbs_transport_memory_test.cpp"
#include "unit/transport/verbs/verbs_transport_rails_test.cpp"
#include "unit/transport/verbs/verbs_transport_test.cpp"
