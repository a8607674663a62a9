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
  EXPECT_EQ(of.owed(), 0u);
  EXPECT_FALSE(of.due());
}

TEST(credits, are_spent_and_given) {
  credits of;
  of.grant(8);
  of.begin_with(2);
  of.spend();
  of.spend();
  EXPECT_EQ(of.left(), 0u);
  of.add(5);
  EXPECT_EQ(of.left(), 5u);
  EXPECT_EQ(of.window(), 8) << "what the peer has is another matter";
  EXPECT_EQ(of.owed(), 0u);
}

TEST(credits, go_on_with_what_the_peer_has_read) {
  credits of;
  of.grant(8);
  of.begin_with(8);
  for (int each = 0; each < 6; ++each) of.spend();
  for (int each = 0; each < 5; ++each) of.owe();
  of.give_back(2);
  // The peer has read four of the six, and has said so of none.
  of.go_on(4, 8);
  EXPECT_EQ(of.left(), 6u) << "the two that are sent again keep their credits";
  EXPECT_EQ(of.taken(), 5u);
  of.told_all();
  EXPECT_EQ(of.owed(), 0u) << "the handshake has said it";
  of.owe();
  EXPECT_EQ(of.owed(), 1u);
}

}  // namespace
