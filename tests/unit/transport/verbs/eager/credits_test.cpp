// How many packets each side may still send.
#include "transport/verbs/eager/credits.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal::verbs;

TEST(credits, credits_return_with_a_message_at_a_quarter_and_alone_at_five_eighths) {
  credits of;
  of.grant(16);
  for (int each = 0; each < 3; ++each) of.owe();
  EXPECT_FALSE(of.worth_sending_along());
  of.owe();
  EXPECT_TRUE(of.worth_sending_along());
  for (int each = 0; each < 5; ++each) of.owe();
  EXPECT_FALSE(of.due());
  of.owe();
  EXPECT_TRUE(of.due());
  of.give_back(10);
  EXPECT_EQ(of.owed(), 0);
  EXPECT_FALSE(of.due());
}

TEST(credits, are_spent_and_given) {
  credits of;
  of.grant(8);
  of.begin_with(2);
  of.spend();
  of.spend();
  EXPECT_EQ(of.left(), 0);
  of.add(5);
  EXPECT_EQ(of.left(), 5);
  EXPECT_EQ(of.window(), 8) << "what the peer has is another matter";
  EXPECT_EQ(of.owed(), 0);
}

}  // namespace
