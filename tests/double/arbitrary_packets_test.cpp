// A transport that gets arbitrary packets, in any order, before and after it is connected
// (arbitrary_packets.hpp). libFuzzer looks for more: make check-fuzz.
#include <gtest/gtest.h>

#include <random>

#include "double/arbitrary_packets.hpp"

namespace {

TEST(verbs_arbitrary_packets, whatever_one_rank_sends_the_others_are_served) {
  testing::internal::CaptureStderr();  // it tells of each lie
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random{seed};
    peal::test::arbitrary_packets job{[&](std::uint64_t low, std::uint64_t high) {
      return std::uniform_int_distribution<std::uint64_t>{low, high}(random);
    }};
    for (int steps = 0; steps < 40; ++steps) job.step();
    job.check();
    if (testing::Test::HasFailure()) break;
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("is given up: it sent"), std::string::npos);
}

}  // namespace
