// The tests of verbs on real devices, compiled as one.
#include "unit/transport/verbs/sleeper_test.cpp"
#include "unit/transport/verbs/transport/cold_test.cpp"
#include "unit/transport/verbs/transport/contract_test.cpp"
#include "unit/transport/verbs/transport/memory_test.cpp"
#include "unit/transport/verbs/transport/rails_test.cpp"
#include "unit/transport/verbs/verbs_transport_test.cpp"
