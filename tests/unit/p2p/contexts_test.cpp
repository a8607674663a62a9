// Queues by context, also for contexts that share a place among the recent ones.
#include "p2p/contexts.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace peal;

/// Another context that has its place among the recent ones where that one has it.
std::uint32_t beside(std::uint32_t context) {
  context_table of;
  for (std::uint32_t other = context + 1;; ++other) {
    of.at(context);
    of.at(other);
    if (of.recent(context) == nullptr) return other;
  }
}

TEST(contexts, are_made_when_asked_for_and_stay_in_place) {
  const std::uint32_t second = beside(5);
  context_table of;
  EXPECT_EQ(of.known(5), nullptr);
  EXPECT_EQ(of.recent(5), nullptr);
  context_state& five = of.at(5);
  EXPECT_EQ(five.id, 5u);
  EXPECT_EQ(of.recent(5), &five);
  context_state& other = of.at(second);
  EXPECT_NE(&other, &five);
  EXPECT_EQ(of.recent(5), nullptr);
  EXPECT_EQ(of.known(5), &five);
  EXPECT_EQ(&of.at(5), &five);
  EXPECT_EQ(of.recent(second), nullptr);
}

/// Their first contexts are eight apart, or so many times eight as there are ranks.
TEST(contexts, those_of_some_communicators_are_all_among_the_recent) {
  for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 8U, 16U, 64U, 100U, 128U, 1024U}) {
    context_table of;
    constexpr std::uint32_t count = 4;
    for (std::uint32_t each = 0; each < count; ++each) of.at(8 * (1 + each * ranks));
    for (std::uint32_t each = 0; each < count; ++each)
      EXPECT_NE(of.recent(8 * (1 + each * ranks)), nullptr) << each << " of " << ranks << " ranks";
  }
}

TEST(contexts, one_that_was_erased_is_not_found) {
  const std::uint32_t second = beside(1);
  context_table of;
  of.at(1);
  of.at(second);
  of.erase(1);  // not the recent one of its place
  EXPECT_EQ(of.known(1), nullptr);
  EXPECT_NE(of.recent(second), nullptr);
  of.erase(second);
  EXPECT_EQ(of.recent(second), nullptr);
  EXPECT_EQ(of.known(second), nullptr);
  of.at(2);
  of.at(3);
  int visited = 0;
  of.for_each([&](context_state&) { ++visited; });
  EXPECT_EQ(visited, 2);
}

}  // namespace
