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
    of.use({of.next(), each, 0, 0, false, true});
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
}

TEST(sent_requests, say_where_each_packet_lies_when_no_completion_will_come) {
  sent_requests of;
  of.reserve(8);
  of.posted(1);  // complete
  of.use({1, 10, 0, 0, false, true});
  of.complete(1, [](slot_id) {});
  of.posted(1);  // inline
  of.posted(1);
  of.use({3, 11, 64, 200, true, false});
  of.posted(1);
  of.posted_control(false);
  of.posted(1);  // inline
  of.note_signals(4, false);
  std::vector<std::uint32_t> inlined, controls, elsewhere;
  of.give_up([&](std::uint32_t sequence, const sent_packet* where) {
    if (!where) inlined.push_back(sequence);
    else if (where->slot == no_slot) controls.push_back(sequence);
    else {
      elsewhere.push_back(sequence);
      EXPECT_EQ(where->slot, 11u);
      EXPECT_EQ(where->at, 64);
      EXPECT_EQ(where->bytes, 200);
      EXPECT_TRUE(where->staged);
    }
  });
  EXPECT_EQ(inlined, (std::vector<std::uint32_t>{2, 5}));
  EXPECT_EQ(controls, (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(elsewhere, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(of.outstanding(), 0u);
  EXPECT_EQ(of.unsignaled(), 0u);
  EXPECT_EQ(of.next(), 6u);
  EXPECT_TRUE(of.is_complete(5));
}

TEST(sent_requests, give_back_a_shared_slot_with_its_last_packet_and_none_for_controls) {
  sent_requests of;
  of.reserve(8);
  of.posted(1);
  of.use({1, 7, 0, 20, false, false});
  of.posted(1);
  of.posted_control(false);
  of.posted(1);
  of.use({3, 7, 32, 20, false, true});
  std::vector<slot_id> back;
  const auto give_back = [&](slot_id each) { back.push_back(each); };
  of.complete(2, give_back);
  EXPECT_TRUE(back.empty());
  of.complete(3, give_back);
  EXPECT_EQ(back, (std::vector<slot_id>{7}));
}

}  // namespace
