// Queues by context, also for contexts that share a place among the recent ones.
#include "p2p/contexts.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal;

TEST(contexts, are_made_when_asked_for_and_stay_in_place) {
  context_table of;
  EXPECT_EQ(of.known(5), nullptr);
  EXPECT_EQ(of.recent(5), nullptr);
  context_state& five = of.at(5);
  EXPECT_EQ(five.id, 5u);
  EXPECT_EQ(of.recent(5), &five);
  context_state& other = of.at(5 + 16);  // in the same place
  EXPECT_NE(&other, &five);
  EXPECT_EQ(of.recent(5), nullptr);
  EXPECT_EQ(of.known(5), &five);
  EXPECT_EQ(&of.at(5), &five);
  EXPECT_EQ(of.recent(5 + 16), nullptr);
}

TEST(contexts, one_that_was_erased_is_not_found) {
  context_table of;
  of.at(1);
  of.at(17);
  of.erase(1);  // not the recent one of its place
  EXPECT_EQ(of.known(1), nullptr);
  EXPECT_NE(of.recent(17), nullptr);
  of.erase(17);
  EXPECT_EQ(of.recent(17), nullptr);
  EXPECT_EQ(of.known(17), nullptr);
  of.at(2);
  of.at(3);
  int visited = 0;
  of.for_each([&](context_state&) { ++visited; });
  EXPECT_EQ(visited, 2);
}

}  // namespace
