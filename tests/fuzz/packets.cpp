// What libFuzzer gives chooses what a lying rank and a stranger send to a rank over RDMA, and when;
// the rank goes on, and serves an honest one (arbitrary_packets.hpp). tests/fuzz/run_fuzz builds it
// and runs it.
#include <fuzzer/FuzzedDataProvider.h>
#include <gtest/gtest.h>

#include "base/log.hpp"
#include "double/arbitrary_packets.hpp"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  peal::set_log_level(peal::log_level::quiet);  // each lie is told
  testing::InitGoogleTest(argc, *argv);
  GTEST_FLAG_SET(break_on_failure, true);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider given{data, size};
  peal::test::arbitrary_packets job{[&given](std::uint64_t low, std::uint64_t high) {
    return given.ConsumeIntegralInRange(low, high);
  }};
  // As long as there is something left to choose by.
  for (int steps = 0; steps < 60 && given.remaining_bytes() > 0; ++steps) job.step();
  job.check();
  return 0;
}
