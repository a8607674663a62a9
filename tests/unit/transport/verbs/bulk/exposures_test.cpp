// A peer finds what was exposed to it, and nothing else.
#include "transport/verbs/bulk/exposures.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>

namespace {

using namespace peal::verbs;

TEST(exposures, only_what_was_exposed_to_a_peer_is_found_by_it) {
  exposures of;
  std::byte memory[100];
  const std::uint64_t number = of.add({3, memory, sizeof memory, nullptr});
  ASSERT_NE(of.find(number), nullptr);
  EXPECT_EQ(of.find(number)->data, memory);
  EXPECT_NE(of.find(number, 3, 0, 100), nullptr);
  EXPECT_NE(of.find(number, 3, 99, 1), nullptr);
  EXPECT_EQ(of.find(number, 2, 0, 100), nullptr) << "exposed to another";
  EXPECT_EQ(of.find(number, 3, 0, 101), nullptr);
  EXPECT_EQ(of.find(number, 3, 100, 1), nullptr);
  EXPECT_EQ(of.find(number, 3, 101, 0), nullptr);
  EXPECT_EQ(of.find(number, 3, 0, 0), nullptr);
  EXPECT_EQ(of.find(number, 3, 1, ~std::uint64_t{0}), nullptr) << "the end would wrap";
  EXPECT_EQ(of.find(0), nullptr);
  EXPECT_EQ(of.find(number + 1), nullptr);
  EXPECT_EQ(of.find(~std::uint64_t{0}), nullptr);
}

TEST(exposures, a_number_does_not_come_again) {
  exposures of;
  std::byte memory[8];
  const std::uint64_t kept = of.add({0, memory, 8, nullptr});
  std::set<std::uint64_t> seen{kept};
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t number = of.add({1, memory, 8, nullptr});
    EXPECT_TRUE(seen.insert(number).second);
    EXPECT_EQ(number >> 63, 0u);
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
