// What a connection knows of its messages.
#include "transport/verbs/eager/eager_channel.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal::verbs;

TEST(eager_channel, a_peer_is_heard) {
  eager_channel of;
  of.begin(8, 10, true);
  EXPECT_TRUE(of.refuses_eager());
  of.credits.spend();
  EXPECT_TRUE(of.hear(3));
  EXPECT_EQ(of.credits.left(), 10u);
  EXPECT_FALSE(of.refuses_eager());
  EXPECT_FALSE(of.has_left());
  EXPECT_FALSE(of.hear(1 | immediate::leaving)) << "it grants ten at most";
  EXPECT_FALSE(of.has_left()) << "nothing of that is believed";
  EXPECT_TRUE(of.hear(immediate::gives_up | 7)) << "those are none that return";
  EXPECT_TRUE(of.hear(immediate::leaving | immediate::refuses_eager));
  EXPECT_TRUE(of.refuses_eager());
  EXPECT_TRUE(of.has_left());
  EXPECT_EQ(of.credits.left(), 10u);
}

TEST(eager_channel, has_news_when_credits_are_due_or_a_refusal_is_untold) {
  eager_channel of;
  of.credits.grant(8);
  EXPECT_FALSE(of.has_news());
  of.refusal_changed();
  EXPECT_FALSE(of.has_news()) << "that takes a credit";
  of.begin(1, 1, false);
  EXPECT_TRUE(of.has_news());
  of.told_refusal();
  EXPECT_FALSE(of.has_news());
  for (int each = 0; each < 4; ++each) EXPECT_FALSE(of.took());
  EXPECT_TRUE(of.took()) << "five of eight credits are owed";
  EXPECT_TRUE(of.has_news());
  EXPECT_TRUE(of.enter_list());
  EXPECT_FALSE(of.enter_list());
  EXPECT_FALSE(of.took()) << "the sender looks at it anyway";
  EXPECT_FALSE(of.took());
  EXPECT_FALSE(of.took());
  EXPECT_TRUE(of.took()) << "a ninth packet with eight credits";
  EXPECT_TRUE(of.leave_list());
  EXPECT_FALSE(of.leave_list());
}

}  // namespace
