// Packets that a connection would have posted for messages that went as datagrams.
#include "transport/verbs/connect/cold_traffic.hpp"

#include <gtest/gtest.h>

namespace {

using namespace peal;
using namespace peal::verbs;

TEST(cold_traffic, messages_of_one_turn_share_packets_as_over_a_connection) {
  cold_traffic traffic{2};
  for (int each = 0; each < 64; ++each) traffic.sent(1, 7, 8);
  EXPECT_EQ(traffic.packets(1), 2u) << "one at once, and the others in one packet";
  for (std::uint32_t turn = 8; turn < 18; ++turn) traffic.sent(1, turn, 8);
  EXPECT_EQ(traffic.packets(1), 12u);
  for (int each = 0; each < 4; ++each) traffic.sent(1, 18, 8192);
  EXPECT_EQ(traffic.packets(1), 16u) << "each fills a packet";
  EXPECT_EQ(traffic.packets(0), 0u);
  EXPECT_EQ(traffic.all(), 16u);
}

TEST(cold_traffic, messages_are_counted_until_there_is_a_connection) {
  cold_traffic traffic{2};
  for (std::uint32_t each = 1; each < 10; ++each) EXPECT_EQ(traffic.sent(0, 3, 8), each);
  traffic.next_term();
  EXPECT_EQ(traffic.sent(0, 3, 8), 10u) << "slow ones get theirs too";
  traffic.forget(0);
  EXPECT_EQ(traffic.packets(0), 0u);
  EXPECT_EQ(traffic.sent(0, 3, 8), 1u);
}

TEST(cold_traffic, what_came_counts_by_its_datagrams) {
  cold_traffic traffic{1};
  for (int each = 0; each < 20; ++each) traffic.received(0);
  EXPECT_EQ(traffic.packets(0), 10u);
  traffic.waits(0);
  EXPECT_EQ(traffic.packets(0), 11u);
}

TEST(cold_traffic, earlier_terms_weigh_less_and_less) {
  cold_traffic traffic{1};
  for (std::uint32_t turn = 0; turn < 64; ++turn) traffic.sent(0, turn, 8);
  traffic.next_term();
  EXPECT_EQ(traffic.packets(0), 32u);
  for (int term = 0; term < 3; ++term) traffic.next_term();
  EXPECT_EQ(traffic.packets(0), 4u);
  for (int term = 0; term < 100; ++term) traffic.next_term();
  EXPECT_EQ(traffic.packets(0), 0u);
}

}  // namespace
