// What a connection knows of its messages keeps its books right.
#include "transport/verbs/eager/eager_channel.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace peal::verbs;

TEST(eager_channel, credits_return_with_a_message_at_a_quarter_and_alone_at_five_eighths) {
  credits of;
  of.grant(16);
  for (int each = 0; each < 3; ++each) of.owe();
  EXPECT_FALSE(of.worth_a_ride());
  of.owe();
  EXPECT_TRUE(of.worth_a_ride());
  for (int each = 0; each < 5; ++each) of.owe();
  EXPECT_FALSE(of.due());
  of.owe();
  EXPECT_TRUE(of.due());
  of.give_back(10);
  EXPECT_EQ(of.owed(), 0);
  EXPECT_FALSE(of.due());
}

TEST(eager_channel, a_peer_is_heard) {
  eager_channel of;
  of.begin(8, true);
  EXPECT_TRUE(of.refuses_eager);
  of.credits.spend();
  of.hear(3);
  EXPECT_EQ(of.credits.left(), 10);
  EXPECT_FALSE(of.refuses_eager);
  EXPECT_FALSE(of.left);
  of.hear(immediate::leaving | immediate::refuses_eager);
  EXPECT_TRUE(of.refuses_eager);
  EXPECT_TRUE(of.left);
  EXPECT_EQ(of.credits.left(), 10);
}

TEST(eager_channel, held_packets_know_their_bytes_and_who_frees_a_slot) {
  held_packets of;
  of.add(5, 100, 0);
  of.add_behind(112, 50);
  of.add(6, 20, immediate::staged);
  of.lengthen(30);
  ASSERT_EQ(of.count(), 3u);
  EXPECT_EQ(of.bytes(), 180u);
  EXPECT_FALSE(of[0].last_in_slot);
  EXPECT_EQ(of[1].slot, 5u);
  EXPECT_EQ(of[1].at, 112);
  EXPECT_TRUE(of[1].last_in_slot);
  of.remove(2, 150);
  ASSERT_EQ(of.count(), 1u);
  EXPECT_EQ(of.bytes(), 30u);
  EXPECT_EQ(of.last().slot, 6u);
  EXPECT_EQ(of.last().flags, immediate::staged);
  of.remove(1, 30);
  EXPECT_TRUE(of.empty());
  EXPECT_EQ(of.bytes(), 0u);
}

TEST(eager_channel, slots_come_back_with_their_requests_also_where_numbers_wrap) {
  sent_requests of;
  of.reserve(8);
  of.posted(0xfffffffe);
  std::vector<slot_id> back;
  const auto give_back = [&](slot_id each) { back.push_back(each); };
  for (const std::uint32_t each : {0x7fffffffu, 0xfffffffeu}) of.complete(each, give_back);
  EXPECT_EQ(of.outstanding(), 0u);
  for (slot_id each = 1; each <= 3; ++each) {
    of.use(of.next(), each);
    of.posted(1);
  }
  EXPECT_EQ(of.last(), 1u);
  EXPECT_EQ(of.outstanding(), 3u);
  of.complete(0, give_back);
  EXPECT_EQ(back, (std::vector<slot_id>{1, 2}));
  of.complete(0xffffffff, give_back);  // late
  EXPECT_EQ(of.outstanding(), 1u);
  std::vector<slot_id> rest;
  of.take_slots(rest);
  EXPECT_EQ(rest, (std::vector<slot_id>{3}));
}

TEST(eager_channel, idle_is_what_posted_nothing_since_the_last_look) {
  sent_requests of;
  EXPECT_TRUE(of.idle());
  of.posted(1);
  EXPECT_FALSE(of.idle());
  EXPECT_TRUE(of.idle());
  of.posted(1);
  of.note_probe();
  EXPECT_TRUE(of.idle());
}

}  // namespace
