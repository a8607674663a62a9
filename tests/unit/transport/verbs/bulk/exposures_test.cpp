// A peer finds what was exposed to it, and nothing else.
#include "transport/verbs/bulk/exposures.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>

namespace {

using namespace peal::verbs;
using peal::peer_id;

TEST(exposures, only_what_was_exposed_to_a_peer_is_found_by_it) {
  exposures of;
  std::byte memory[100];
  const std::uint64_t number = of.add({3, memory, sizeof memory, nullptr});
  ASSERT_NE(of.find(number), nullptr);
  EXPECT_EQ(of.find(number)->data, memory);
  const exposure* into = nullptr;
  const auto asks = [&](peer_id by, std::uint64_t at, std::uint64_t bytes) {
    return of.find(number, by, at, bytes, into);
  };
  EXPECT_EQ(asks(3, 0, 100), exposure_answer::found);
  EXPECT_EQ(into, of.find(number));
  EXPECT_EQ(asks(3, 99, 1), exposure_answer::found);
  EXPECT_EQ(asks(2, 0, 100), exposure_answer::never) << "exposed to another";
  EXPECT_EQ(asks(3, 0, 101), exposure_answer::never);
  EXPECT_EQ(asks(3, 100, 1), exposure_answer::never);
  EXPECT_EQ(asks(3, 101, 0), exposure_answer::never);
  EXPECT_EQ(asks(3, 0, 0), exposure_answer::never);
  EXPECT_EQ(asks(3, 1, ~std::uint64_t{0}), exposure_answer::never) << "the end would wrap";
  EXPECT_EQ(of.find(0), nullptr);
  EXPECT_EQ(of.find(number + 1), nullptr);
  EXPECT_EQ(of.find(~std::uint64_t{0}), nullptr);
}

TEST(exposures, a_number_that_is_over_is_known_from_one_that_never_was) {
  exposures of;
  std::byte memory[8];
  const exposure* into = nullptr;
  const std::uint64_t first = of.add({1, memory, 8, nullptr});
  of.remove(first);
  EXPECT_EQ(of.find(first, 1, 0, 8, into), exposure_answer::over);
  const std::uint64_t second = of.add({1, memory, 8, nullptr});
  EXPECT_EQ(of.find(first, 1, 0, 8, into), exposure_answer::over) << "its place was used again";
  EXPECT_EQ(of.find(second, 1, 0, 8, into), exposure_answer::found);
  EXPECT_EQ(of.find(second + (std::uint64_t{1} << 32), 1, 0, 8, into), exposure_answer::never);
  EXPECT_EQ(of.find(second + 1, 1, 0, 8, into), exposure_answer::never);
  EXPECT_EQ(of.find(0, 1, 0, 8, into), exposure_answer::never);
}

TEST(exposures, a_number_does_not_come_again) {
  exposures of;
  std::byte memory[8];
  const std::uint64_t kept = of.add({0, memory, 8, nullptr});
  std::set<std::uint64_t> seen{kept};
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t number = of.add({1, memory, 8, nullptr});
    EXPECT_TRUE(seen.insert(number).second);
    EXPECT_EQ(number >> 62, 0u);
    of.remove(number);
    EXPECT_EQ(of.find(number), nullptr);
    of.remove(number);  // once more: nothing happens
  }
  const std::uint64_t first = of.add({1, memory, 8, nullptr}),
                      second = of.add({2, memory, 8, nullptr});
  EXPECT_NE(first, second);
  EXPECT_EQ(of.find(first)->to, 1u);
  EXPECT_EQ(of.find(second)->to, 2u);
  EXPECT_EQ(of.find(kept)->to, 0u);
}

}  // namespace
