// How many packets each side may still send.
#include "transport/verbs/eager/credits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

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
  of.begin_with(2, 16);
  of.spend();
  of.spend();
  EXPECT_EQ(of.left(), 0u);
  EXPECT_TRUE(of.add(5));
  EXPECT_EQ(of.left(), 5u);
  EXPECT_EQ(of.window(), 8) << "what the peer has is another matter";
  EXPECT_EQ(of.owed(), 0u);
}

TEST(credits, go_on_with_what_the_peer_has_read) {
  credits of;
  of.grant(8);
  of.begin_with(8, 8);
  for (int each = 0; each < 6; ++each) of.spend();
  for (int each = 0; each < 5; ++each) of.owe();
  of.give_back(2);
  // The peer has read four of the six, and has said so of none.
  of.go_on(4, 8, 8);
  EXPECT_EQ(of.left(), 6u) << "the two that are sent again keep their credits";
  EXPECT_EQ(of.taken(), 5u);
  of.told_all();
  EXPECT_EQ(of.owed(), 0u) << "the handshake has said it";
  of.owe();
  EXPECT_EQ(of.owed(), 1u);
}

TEST(credits, no_more_come_back_than_the_largest_window_has) {
  credits of;
  of.begin_with(2, 8);
  EXPECT_FALSE(of.add(7));
  EXPECT_EQ(of.left(), 2) << "none of them is taken";
  EXPECT_TRUE(of.add(6)) << "its window may grow";
  EXPECT_FALSE(of.add(1)) << "nothing was spent";
  of.spend();
  of.spend();
  EXPECT_FALSE(of.add(3));
  EXPECT_TRUE(of.add(2));
  of.give_up(5);
  EXPECT_TRUE(of.add(5));
  EXPECT_FALSE(of.add(0xffff)) << "no count passes the end of its type";
  EXPECT_EQ(of.left(), 8);
  of.begin_with(0xffff, 0xffff);
  EXPECT_FALSE(of.add(1));
  EXPECT_EQ(of.left(), 0xffff);
}

TEST(credits, a_peer_that_sends_more_than_it_has_credits_for_is_overdrawn) {
  credits of;
  of.grant(4);
  for (int each = 0; each < 4; ++each) of.owe();
  EXPECT_FALSE(of.overdrawn());
  of.widen(2);
  EXPECT_FALSE(of.overdrawn());
  of.give_back(6);
  for (int each = 0; each < 6; ++each) of.owe();
  of.narrow(3);
  EXPECT_FALSE(of.overdrawn());
  of.owe();
  EXPECT_TRUE(of.overdrawn());
}

TEST(credits, a_window_changes_with_what_returns) {
  credits of;
  of.grant(8);
  for (int each = 0; each < 5; ++each) of.owe();
  EXPECT_TRUE(of.due());
  of.widen(8);
  EXPECT_EQ(of.window(), 16);
  EXPECT_EQ(of.owed(), 13) << "more returns than was spent";
  of.give_back(13);
  for (int each = 0; each < 10; ++each) of.owe();
  of.narrow(4);
  EXPECT_EQ(of.window(), 12);
  EXPECT_EQ(of.owed(), 6);
  EXPECT_EQ(of.unreturned(), 6u);
}

TEST(credits, what_a_peer_gives_up_it_must_have) {
  credits of;
  of.grant(8);
  of.owe();
  EXPECT_FALSE(of.gave_up(7)) << "the packet that says so took one";
  EXPECT_TRUE(of.gave_up(4));
  EXPECT_EQ(of.window(), 4);
  EXPECT_FALSE(of.gave_up(3));
  EXPECT_FALSE(of.gave_up(60'000));
  EXPECT_EQ(of.window(), 4);
}

/// Windows that grow and shrink at random with what returns: the peer, which has read nothing since
/// the last return by itself, cannot make the next one due.
TEST(credits, no_second_return_by_itself_is_due_before_the_first_is_read) {
  std::uint32_t random = 7;
  const auto next = [&](std::uint32_t below) {
    random = random * 1664525 + 1013904223;
    return below == 0 ? 0 : (random >> 8) % below;
  };
  for (int run = 0; run < 20'000; ++run) {
    credits of;
    of.grant(static_cast<std::uint16_t>(2 + next(63)));
    while (!of.due()) of.owe();
    std::uint32_t at_peer = of.unreturned();  // when it has not read the return
    if (next(2) == 0) of.widen(next(65 - of.window()));
    else of.narrow(std::min<std::uint32_t>(of.window() / 4u, of.owed()));
    of.give_back(of.owed());
    while (at_peer > 0) {
      --at_peer;
      of.owe();
      ASSERT_FALSE(of.due()) << "window " << of.window();
      ASSERT_FALSE(of.overdrawn()) << "window " << of.window();
      if (!of.worth_sending_along()) continue;
      // With a message of this side it may change once more.
      if (next(2) == 0) of.widen(next(65 - of.window()));
      else of.narrow(std::min<std::uint32_t>(of.window() / 4u, of.owed()));
      of.give_back(of.owed());
    }
  }
}

}  // namespace
