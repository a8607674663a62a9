// The tests of this folder, compiled as one: what they include takes most of the compiler's time.
#include "unit/collective/direct/arena_test.cpp"
#include "unit/collective/direct/flags_test.cpp"
#include "unit/collective/direct/groups/group_call_test.cpp"
#include "unit/collective/direct/groups/group_flags_test.cpp"
#include "unit/collective/direct/learnt_ways_test.cpp"
#include "unit/collective/direct/long_call_test.cpp"
#include "unit/collective/direct/price_test.cpp"
#include "unit/collective/direct/short_call_test.cpp"
