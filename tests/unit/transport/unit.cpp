// The other tests of this folder, compiled as one.
#include "unit/transport/datagram_channel_test.cpp"
#include "unit/transport/device_choice_test.cpp"
#include "unit/transport/kernel_asker_test.cpp"
#include "unit/transport/node_watch_test.cpp"
#include "unit/transport/port_counters_test.cpp"
#include "unit/transport/rail_choice_test.cpp"
#include "unit/transport/registration_cache_test.cpp"
#include "unit/transport/verbs_choice_test.cpp"
