// Which connection may end for another peer, by what all of them carry.
#include "transport/verbs/connect/least_used.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace {

using namespace peal;
using namespace peal::verbs;

TEST(least_used, the_one_with_the_fewest_packets_goes_first_and_of_equal_ones_the_youngest) {
  least_used order;
  order.add({.peer = 1, .packets = 5, .age = 100});
  order.add({.peer = 2, .packets = 3, .age = 99});
  order.add({.peer = 3, .packets = 3, .age = 98});
  order.add({.peer = 4, .packets = 0, .age = 102});
  std::vector<peer_id> taken;
  while (!order.empty()) taken.push_back(order.take().peer);
  EXPECT_EQ(taken, (std::vector<peer_id>{4, 3, 2, 1}));
}

TEST(least_used, peers_used_in_turn_leave_most_connections_alone) {
  // 110 peers take turns for 100 places, each needs one, as for large payloads.
  constexpr std::uint32_t places = 100, peers = 110, rounds = 10;
  least_used order;
  std::set<peer_id> connected;
  std::uint32_t age = 1'000'000, changes = 0;
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (peer_id each = 0; each < peers; ++each) {
      if (connected.contains(each)) continue;
      if (connected.size() == places) {
        connected.erase(order.take().peer);
        ++changes;
      }
      connected.insert(each);
      order.add({each, 1, age--});
    }
  EXPECT_LE(changes, rounds * (peers - places + 1)) << "the oldest first would be 1,000 of them";
}

TEST(least_used, a_peer_with_about_the_same_traffic_deserves_no_place) {
  EXPECT_FALSE(deserves_place(100, 100, 16));
  EXPECT_FALSE(deserves_place(216, 100, 16));
  EXPECT_TRUE(deserves_place(217, 100, 16));
  EXPECT_FALSE(deserves_place(16, 0, 16));
  EXPECT_TRUE(deserves_place(17, 0, 16)) << "an idle one";
  EXPECT_FALSE(deserves_place(4'000'000'000, 3'000'000'000, 16)) << "no overflow";
}

TEST(least_used, what_counts_follows_the_traffic_of_the_last_terms) {
  std::uint32_t packets = 0;
  for (int term = 0; term < 20; ++term) packets = of_late(packets, 100, 1);
  EXPECT_NEAR(packets, 200, 2);
  EXPECT_NEAR(of_late(packets, 300, 3), 175, 2) << "three terms at one look: about the same";
  EXPECT_EQ(of_late(packets, 7, 0), packets + 14) << "amid a term";
  for (int term = 0; term < 8; ++term) packets = of_late(packets, 0, 1);
  EXPECT_EQ(packets, 0u) << "idle for eight terms";
  EXPECT_EQ(of_late(5, 0, 1000), 0u);
}

}  // namespace
