// The tests of shared memory and of the contract, compiled as one.
#include "unit/transport/box_test.cpp"
#include "unit/transport/contract_test.cpp"
#include "unit/transport/shm_failure_test.cpp"
#include "unit/transport/shm_sleep_test.cpp"
#include "unit/transport/shm_stall_test.cpp"
#include "unit/transport/shm_test.cpp"
