// Work requests by number, and the slots that come back with them.
#include "transport/verbs/eager/sent_requests.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace peal::verbs;

TEST(sent_requests, slots_come_back_with_their_requests_also_where_numbers_wrap) {
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

TEST(sent_requests, idle_is_what_posted_nothing_since_the_last_look) {
  sent_requests of;
  EXPECT_TRUE(of.idle());
  of.posted(1);
  EXPECT_FALSE(of.idle());
  EXPECT_TRUE(of.idle());
  of.posted(1);
  of.note_probe();
  EXPECT_TRUE(of.idle());
}

TEST(sent_requests, know_how_long_ago_one_asked_for_a_completion) {
  sent_requests of;
  of.posted(3);
  of.note_signals(3, false);
  of.posted(1);
  of.note_signals(1, false);
  EXPECT_EQ(of.unsignaled(), 4u);
  of.note_signals(1, true);
  EXPECT_EQ(of.unsignaled(), 0u);
  of.expect_none();
  EXPECT_EQ(of.outstanding(), 0u);
  EXPECT_EQ(of.next(), 5u);
}

}  // namespace
