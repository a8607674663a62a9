// The tests of shared memory and of the contract, compiled as one.
#include "unit/transport/contract_test.cpp"
#include "unit/transport/shm/box_test.cpp"
#include "unit/transport/shm/shm_failure_test.cpp"
#include "unit/transport/shm/shm_sleep_test.cpp"
#include "unit/transport/shm/shm_stall_test.cpp"
#include "unit/transport/shm/shm_test.cpp"
