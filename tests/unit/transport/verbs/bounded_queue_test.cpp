// A queue of bounded length keeps its order, however often it goes round.
#include "transport/verbs/bounded_queue.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal::verbs;

TEST(bounded_queue, first_in_first_out_round_and_round) {
  bounded_queue<int> of;
  of.reserve(5);
  EXPECT_TRUE(of.empty());
  int next = 0, expected = 0;
  for (int round = 0; round < 20; ++round) {
    while (of.size() < 5) of.push_back(next++);
    for (int each = 0; each < 3; ++each) {
      EXPECT_EQ(of.front(), expected++);
      of.pop_front();
    }
    EXPECT_EQ(of.size(), 2u);
  }
  while (!of.empty()) {
    EXPECT_EQ(of.front(), expected++);
    of.pop_front();
  }
  EXPECT_EQ(expected, next);
}

}  // namespace
