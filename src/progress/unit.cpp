// The sources of this folder, compiled as one where the library is built in units (configure
// --enable-units).
#include "progress/engine.cpp"
#include "progress/engine_sleeper.cpp"
#include "progress/lock.cpp"
#include "progress/sleep.cpp"
#include "progress/sleepers/event_descriptor.cpp"
#include "progress/sleepers/family.cpp"
#include "progress/sleepers/helper_thread.cpp"
#include "progress/sources.cpp"
#include "progress/wait_policy.cpp"
#include "progress/wakeup.cpp"
#include "progress/yield_costs.cpp"
