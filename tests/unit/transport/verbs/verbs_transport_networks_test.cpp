// Processes whose best ports are in different networks, ports that change their address, and
// packets as long as both ports say: on cards of this process's own.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "unit/transport/verbs/double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_networks : public verbs_on_cards {
 protected:
  /// Cards with these networks; each end sees those that its PEAL_VERBS_DEVICE says.
  void begin(const std::vector<unsigned>& networks, const std::vector<std::string>& devices) {
    ends.clear();
    cards.clear();
    verbs_double::remove_cards();
    for (unsigned each = 0; each < networks.size(); ++each)
      cards.push_back(&verbs_double::add_card(networks[each], each + 1));
    start(devices);
  }
  void start(const std::vector<std::string>& devices, verbs_options settings = {}) {
    for (peer_id each = 0; each < devices.size(); ++each) {
      settings.set.device = devices[each];
      ends.push_back(std::make_unique<end>());
      ends[each]->transport = std::make_unique<verbs_transport>(
          ends[each]->arrivals, here, each, static_cast<std::uint32_t>(devices.size()), settings);
    }
    meet_all();
  }
  static void give_link_local(verbs_double::card& to) {
    ibv_gid& gid = to.ports[0].gids[0].gid;
    gid = {};
    gid.raw[0] = 0xfe;
    gid.raw[1] = 0x80;
    gid.raw[15] = 9;
  }
};

TEST_F(verbs_networks, messages_go_over_the_network_that_all_have) {
  begin({1, 2, 2, 1, 2}, {"^double2,double3,double4", "double2", "^double0,double1,double2"});
  meet(0, 1);
  meet(1, 2);
  EXPECT_GT(cards[1]->count(IBV_QPT_RC), 0u);
  EXPECT_GT(cards[4]->count(IBV_QPT_RC), 0u);
  for (const std::size_t unused : {0u, 3u}) {
    EXPECT_EQ(cards[unused]->count(IBV_QPT_RC), 0u);
    EXPECT_EQ(cards[unused]->count(IBV_QPT_UD), 0u) << "it was closed";
  }
}

TEST_F(verbs_networks, the_best_port_stays_where_all_have_its_network) {
  begin({1, 2, 1, 2}, {"^double2,double3", "^double0,double1"});
  meet(0, 1);
  for (const std::size_t used : {0u, 2u}) EXPECT_GT(cards[used]->count(IBV_QPT_RC), 0u);
  for (const std::size_t spare : {1u, 3u}) EXPECT_EQ(cards[spare]->count(IBV_QPT_UD), 0u);
}

TEST_F(verbs_networks, of_named_devices_the_one_that_all_have_carries_messages) {
  begin({1, 2, 2, 1}, {"double0,double1", "double2,double3"});
  meet(0, 1);
  std::vector<std::byte> source = pattern(3'000'000, 1), target(source.size());
  tracked_fetch fetch{1, at(1).expose(0, source.data(), source.size()), target.data(),
                      target.size()};
  at(0).start_fetch(fetch);
  ASSERT_TRUE(wait([&] { return fetch.calls == 1; }));
  EXPECT_FALSE(fetch.error);
  EXPECT_TRUE(target == source);
  at(1).withdraw(0, fetch.where);
  // Each end has put the same network first, and both are used.
  EXPECT_GT(count(0, "verbs.rail_bytes.double0:1") + count(1, "verbs.rail_bytes.double3:1"), 0u);
  EXPECT_GT(count(0, "verbs.rail_bytes.double1:1") + count(1, "verbs.rail_bytes.double2:1"), 0u);
}

TEST_F(verbs_networks, without_a_network_in_common_both_lists_of_ports_are_told) {
  begin({1, 2, 3}, {});
  give_link_local(*cards[2]);
  start({"double0,double1", "double2"});
  testing::internal::CaptureStderr();
  (void)at(0).send(1, message(0), nullptr);
  std::vector<peer_id> lost;
  EXPECT_TRUE(wait([&] { return !(lost = at(0).lost()).empty(); }));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lost, std::vector<peer_id>{1});
  for (const char* each : {"double0:1", "double1:1", "double2:1", "PEAL_VERBS_DEVICE"})
    EXPECT_NE(said.find(each), std::string::npos) << said;
}

/// Three ranks of which each two have a network in common, and no network is common to all.
class verbs_ring_of_networks : public verbs_networks {
 protected:
  void begin_ring(verbs_options settings = {}) {
    begin({1, 2, 2, 3, 3, 1, 4}, {});
    give_link_local(*cards[6]);
    start({"^double2,double3,double4,double5,double6", "^double0,double1,double4,double5,double6",
           "^double0,double1,double2,double3,double6", "double6"},
          settings);
  }
  void exchange(std::uint32_t rounds) {
    for (std::uint32_t each = 0; each < rounds; ++each)
      for (peer_id from = 0; from < 3; ++from)
        for (peer_id to = 0; to < 3; ++to) {
          const auto data = pattern(300 + each, each * 9 + from * 3 + to);
          if (from == to) continue;
          ASSERT_TRUE(send(from, to, message(data.size(), each), data.data()));
        }
    for (peer_id to = 0; to < 3; ++to) {
      ASSERT_TRUE(wait([&] { return got(to).size() == 2 * rounds; }));
      std::uint32_t next[3] = {0, 0, 0};
      for (const arrival& each : got(to)) {
        ASSERT_EQ(each.head.context(), next[each.from]);
        const std::uint32_t number = next[each.from]++;
        ASSERT_EQ(each.payload, pattern(300 + number, number * 9 + each.from * 3 + to));
      }
      got(to).clear();
    }
  }
};

TEST_F(verbs_ring_of_networks, each_two_ranks_use_the_one_that_both_have) {
  begin_ring();
  exchange(20);
  for (std::size_t each = 0; each < 6; ++each)
    EXPECT_GT(cards[each]->count(IBV_QPT_RC), 0u) << "card " << each;
  for (peer_id from = 0; from < 3; ++from) {
    const peer_id to = (from + 1) % 3;
    const std::vector<std::byte> source = pattern(1'000'000, from);
    std::vector<std::byte> target(source.size());
    tracked_fetch fetch{from, at(from).expose(to, source.data(), source.size()), target.data(),
                        target.size()};
    at(to).start_fetch(fetch);
    ASSERT_TRUE(wait([&] { return fetch.calls == 1; }));
    EXPECT_FALSE(fetch.error);
    EXPECT_TRUE(target == source);
    at(from).withdraw(to, fetch.where);
  }
  EXPECT_EQ(count(0, "verbs.connections"), 2u) << "counted over both networks";
}

TEST_F(verbs_ring_of_networks, datagrams_go_over_the_one_that_both_have) {
  verbs_options settings;
  settings.set.promote = 1'000'000;
  begin_ring(settings);
  exchange(20);
  for (std::size_t each = 0; each < 6; ++each) EXPECT_EQ(cards[each]->count(IBV_QPT_RC), 0u);
  for (peer_id each = 0; each < 3; ++each) {
    EXPECT_GE(count(each, "verbs.datagram_messages"), 40u);
    ASSERT_TRUE(wait([&] { return at(each).settled(); }));
  }
}

TEST_F(verbs_ring_of_networks, ranks_without_a_common_one_are_told_at_the_first_message) {
  for (const bool cold : {false, true}) {
    verbs_options settings;
    if (cold) settings.set.promote = 1'000'000;
    begin_ring(settings);
    exchange(2);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(at(1).send(3, message(0), nullptr));
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(at(1).lost(), std::vector<peer_id>{3});
    for (const char* each : {"double2:1", "double3:1", "double6:1", "no network joins"})
      EXPECT_NE(said.find(each), std::string::npos) << said;
    exchange(2);
  }
}

TEST_F(verbs_ring_of_networks, a_peer_that_fails_ends_nothing_on_other_networks) {
  verbs_options settings;
  settings.set.timeout = 0.3;
  begin_ring(settings);
  exchange(4);
  // The network of ranks 0 and 1, at rank 0.
  cards[1]->cut = true;
  ASSERT_TRUE(at(0).send(1, message(8), "12345678"));
  ASSERT_TRUE(wait([&] { return at(0).lost() == std::vector<peer_id>{1}; }));
  at(0).peer_failed(1);
  EXPECT_TRUE(at(0).send(1, message(0), nullptr)) << "dropped";
  for (const peer_id from : {0u, 2u}) {
    const peer_id to = 2 - from;
    const auto data = pattern(700, from);
    ASSERT_TRUE(send(from, to, message(data.size(), 0), data.data()));
    ASSERT_TRUE(wait([&] { return got(to).size() == 1; }));
    EXPECT_EQ(got(to)[0].payload, data);
  }
}

TEST_F(verbs_ring_of_networks, ranks_that_leave_wait_for_none_of_another_network) {
  verbs_options settings;
  settings.set.timeout = 100'000;  // whoever waited for that would never come back
  begin_ring(settings);
  exchange(4);
  std::vector<std::thread> leaving;
  for (peer_id each = 0; each < 3; ++each) leaving.emplace_back([&, each] { at(each).leave(); });
  for (std::thread& each : leaving) each.join();
  for (peer_id each = 0; each < 3; ++each) {
    EXPECT_TRUE(at(each).settled());
    EXPECT_TRUE(at(each).lost().empty());
  }
}

TEST_F(verbs_networks, ports_of_one_card_serve_ranks_of_one_node_without_shared_memory) {
  begin({1, 1}, {"double0", "double0"});
  meet(0, 1);
  EXPECT_GT(cards[0]->count(IBV_QPT_RC), 0u);
  EXPECT_EQ(cards[1]->count(IBV_QPT_RC), 0u);
  const std::vector<std::byte> source = pattern(700'000, 1);
  std::vector<std::byte> target(source.size());
  tracked_fetch fetch{1, at(1).expose(0, source.data(), source.size()), target.data(),
                      target.size()};
  at(0).start_fetch(fetch);
  ASSERT_TRUE(wait([&] { return fetch.calls == 1; }));
  EXPECT_FALSE(fetch.error);
  EXPECT_TRUE(target == source);
  at(1).withdraw(0, fetch.where);
}

TEST_F(verbs_networks, ranks_of_one_node_dealt_to_its_two_cards_reach_each_other) {
  begin({1, 1}, {});
  for (peer_id each = 0; each < 2; ++each) {
    verbs_options settings;
    settings.local_index = each;
    settings.local_size = 2;
    ends.push_back(std::make_unique<end>());
    ends[each]->transport =
        std::make_unique<verbs_transport>(ends[each]->arrivals, here, each, 2, settings);
  }
  meet_all();
  meet(0, 1);
  for (const std::size_t each : {0u, 1u}) EXPECT_GT(cards[each]->count(IBV_QPT_RC), 0u);
}

TEST_F(verbs_networks, a_gid_that_changes_is_told_to_peers_with_the_next_handshake) {
  begin({1, 1}, {"double0", "double1"});
  cards[1]->ports[0].gids[0].gid.raw[15] = 77;
  cards[1]->tell(IBV_EVENT_GID_CHANGE);
  testing::internal::CaptureStderr();
  ASSERT_TRUE(wait([&] { return count(1, "verbs.device_events") == 1; }));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("has another address now"),
            std::string::npos);
  ASSERT_TRUE(send(1, 0, message(8), "12345678"));
  EXPECT_TRUE(wait([&] { return got(0).size() == 1; }));
  ASSERT_TRUE(send(0, 1, message(8), "12345678"));
  EXPECT_TRUE(wait([&] { return got(1).size() == 1; }));
}

TEST_F(verbs_networks, handshakes_are_as_long_as_the_packets_that_both_ports_take) {
  std::size_t longest = 0;
  const auto run = [&](verbs_options settings) {
    begin({1, 1}, {});
    cards[0]->ports[0].attributes.active_mtu = IBV_MTU_2048;
    longest = 0;
    cards[1]->listens = [&](const std::byte*, std::size_t bytes) {
      longest = std::max(longest, bytes);
    };
    start({"double0", "double1"}, settings);
    meet(0, 1);
  };
  run({});
  EXPECT_EQ(longest, 2048u);
  verbs_options capped;
  capped.set.mtu = 1024;
  run(capped);
  EXPECT_EQ(longest, 1024u);
}

TEST_F(verbs_networks, a_rank_that_does_not_answer_is_told_with_what_to_look_at) {
  begin({1, 1}, {"double0", "double1"});
  cards[1]->cut = true;
  testing::internal::CaptureStderr();
  (void)at(0).send(1, message(0), nullptr);
  const auto until_then = std::chrono::steady_clock::now() + std::chrono::seconds{9};
  while (std::chrono::steady_clock::now() < until_then) poll();
  poll(5000);  // at least one of these looks at the clock
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("UDP port 4791"), std::string::npos) << said;
  EXPECT_NE(said.find("double1:1"), std::string::npos) << said;
  EXPECT_NE(said.find("packets of 4096 bytes"), std::string::npos) << said;
}

}  // namespace
