// Packets that wait, which slot each lies in and which of them frees it.
#include "transport/verbs/eager/held_packets.hpp"

#include <gtest/gtest.h>

#include "transport/verbs/wire.hpp"

namespace {

using namespace peal::verbs;

TEST(held_packets, held_packets_know_their_bytes_and_who_frees_a_slot) {
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

TEST(held_packets, what_is_not_posted_keeps_its_order) {
  held_packets of;
  for (slot_id each = 0; each < held_packets::most; ++each) {
    EXPECT_FALSE(of.full());
    of.add(each, 10 + each, 0);
  }
  EXPECT_TRUE(of.full());
  of.remove(1, 10);
  EXPECT_FALSE(of.full());
  for (slot_id each = 0; each < of.count(); ++each) EXPECT_EQ(of[each].slot, each + 1);
  of.remove(0, 0);
  EXPECT_EQ(of.count(), held_packets::most - 1);
}

}  // namespace
