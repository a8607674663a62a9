// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/progress/engine_sleeper_test.cpp"
#include "unit/progress/engine_test.cpp"
#include "unit/progress/lock_test.cpp"
#include "unit/progress/sleep_test.cpp"
#include "unit/progress/sleepers/event_descriptor_test.cpp"
#include "unit/progress/sleepers/family_test.cpp"
#include "unit/progress/sleepers/helper_thread_test.cpp"
#include "unit/progress/wait_policy_test.cpp"
