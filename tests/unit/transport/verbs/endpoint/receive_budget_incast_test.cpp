// The receive queue of a rank with a thousand peers never runs empty, its pinned memory has a
// limit, and who sends gets the larger windows.
#include "transport/verbs/endpoint/receive_budget.hpp"

#include <random>

#include "unit/transport/verbs/incast.hpp"

namespace {

using namespace peal;
using namespace peal::test;

TEST_F(verbs_incast, of_1024_peers_never_finds_the_receive_queue_empty) {
  constexpr peer_id peers = 1024;
  begin(1 + peers);
  connect(1, 1 + peers);
  EXPECT_EQ(count(0, "verbs.connections"), peers);
  const std::size_t least = cards[0]->shared_receives();

  // All send as much as they may while rank 0 computes; and again with the windows of then.
  std::size_t shortest = least;
  for (int round = 0; round < 6; ++round) {
    std::size_t leave = 0;
    for (peer_id each = 1; each <= peers; ++each) leave += burst(each);
    EXPECT_GE(leave, peers) << "each peer has a window";
    shortest = std::min(shortest, cards[0]->shared_receives());
    EXPECT_GT(cards[0]->shared_receives(), 0u);
    take_all(1 + peers);
  }
  EXPECT_EQ(cards[0]->not_ready, 0u) << "RNR NAKs";
  EXPECT_LT(cards[0]->doorbells, sent_in_all()) << "several credits return at a time";
  EXPECT_EQ(count(0, "verbs.receives_low"), 0u);
  EXPECT_LE(count(0, "verbs.pinned_bytes"), 64u << 20);
  EXPECT_LE(count(0, "verbs.receives_allotted") + 32, count(0, "verbs.receives"));
  EXPECT_EQ(sinks[0]->wrong, 0u);
  RecordProperty("pinned_bytes", std::to_string(count(0, "verbs.pinned_bytes")));
  RecordProperty("receives", std::to_string(count(0, "verbs.receives")));
  RecordProperty("fewest_receives_left", std::to_string(shortest));
  RecordProperty("messages", std::to_string(sent_in_all()));
  RecordProperty("doorbells_of_receiver", std::to_string(cards[0]->doorbells));
  RecordProperty("rnr", std::to_string(cards[0]->not_ready));
}

TEST_F(verbs_incast, peers_that_send_get_what_idle_ones_do_not_use) {
  constexpr peer_id peers = 200;
  verbs_options little;
  little.set.pinned = 24 << 20;
  begin(1 + peers, little);
  connect(1, 1 + peers);
  // Everybody sends much, so all get the same.
  std::vector<std::uint32_t> windows(1 + peers);
  for (int round = 0; round < 40; ++round) {
    for (peer_id each = 1; each <= peers; ++each) windows[each] = burst(each);
    take_all(1 + peers);
  }
  const auto [least, most] = std::minmax_element(windows.begin() + 1, windows.end());
  EXPECT_GE(*least, 2u);
  EXPECT_LE(*most, 3 * *least + 4) << "nobody has much more than the others";

  // From now on only a few do.
  constexpr peer_id busy = 8;
  for (int round = 0; round < 400; ++round) {
    for (peer_id each = 1; each <= busy; ++each) windows[each] = burst(each);
    take_all(1 + peers);
  }
  EXPECT_GE(count(0, "verbs.credits_asked"), 1u);
  EXPECT_GE(count(0, "verbs.credits_given_up"), 1u);
  for (peer_id each = 1; each <= busy; ++each) EXPECT_GE(windows[each], 20u) << each;
  for (peer_id each = busy + 1; each <= peers; ++each) EXPECT_LE(burst(each), 6u) << each;
  take_all(1 + peers);

  // And when all send again, all get their share again.
  for (int round = 0; round < 40; ++round) {
    for (peer_id each = 1; each <= peers; ++each) windows[each] = burst(each);
    take_all(1 + peers);
  }
  EXPECT_LE(*std::max_element(windows.begin() + 1, windows.end()),
            4 * *std::min_element(windows.begin() + 1, windows.end()) + 4);
  EXPECT_EQ(cards[0]->not_ready, 0u) << "RNR NAKs";
  EXPECT_LE(count(0, "verbs.pinned_bytes"), 24u << 20);
  EXPECT_EQ(sinks[0]->wrong, 0u);
}

TEST_F(verbs_incast, few_peers_have_the_full_window_at_once) {
  begin(17);
  connect(1, 17);
  for (peer_id each = 1; each < 17; ++each) EXPECT_GE(burst(each), 60u);
  take_all(17);
  EXPECT_EQ(count(0, "verbs.receives_allotted"), 16u * 66u);
  EXPECT_EQ(count(0, "verbs.credits_asked"), 0u);
}

TEST_F(verbs_incast, a_sender_that_waits_for_credit_may_sleep) {
  wakeup bell;
  verbs_options sleeps;
  sleeps.bell = &bell;
  begin(3, {}, sleeps);
  connect(1, 3);
  while (burst(1) > 0) {
  }
  const std::uint64_t doorbells = cards[1]->doorbells;
  for (int turn = 0; turn < 100; ++turn) EXPECT_FALSE(ends[1]->poll());
  EXPECT_FALSE(try_to_send(1));
  EXPECT_TRUE(ends[1]->arm()) << "there is nothing to do but wait";
  ends[1]->disarm();
  EXPECT_EQ(cards[1]->doorbells, doorbells);
  ASSERT_TRUE(until([&] { ends[0]->poll(), ends[1]->poll(); }, [&] { return try_to_send(1); }));
  take_all(3);
  EXPECT_EQ(sinks[0]->wrong, 0u);
}

/// Windows change all the time, and packets that say so get lost.
TEST_F(verbs_incast, windows_hold_over_connections_that_are_made_again) {
  constexpr peer_id peers = 60;
  verbs_options little;
  little.set.pinned = 6 << 20;
  little.set.ack_timeout = 0.001;
  verbs_options light;
  light.set.ack_timeout = 0.001;
  begin(1 + peers, little, light);
  connect(1, 1 + peers);
  std::mt19937_64 random{18};
  for (int round = 0; round < 150; ++round) {
    // Other few send much each time, so credits go from some to others.
    const auto first = static_cast<peer_id>(1 + round / 10 * 7 % peers);
    // Idle peers read that they are asked for credits, and what they answer gets lost.
    for (int turns = 0; turns < 8; ++turns) ends[0]->poll();
    cards[random() % 2]->cut = round % 3 == 0;
    poll_senders(1, 1 + peers);
    for (peer_id each = 0; each < 5; ++each) burst(1 + (first + each) % peers, 40);
    for (int breaks = 0; breaks < 3; ++breaks) {
      const auto which = static_cast<peer_id>(1 + random() % peers);
      if (random() % 2 == 0) ends[which]->break_connection(0);
      else ends[0]->break_connection(which);
      const auto other = static_cast<peer_id>(1 + random() % peers);
      if (random() % 4 == 0) burst(other, 20);
    }
    for (std::uint64_t turns = random() % 20; turns > 0; --turns) {
      ends[0]->poll();
      poll_senders(1, 1 + peers);
    }
    for (verbs_double::card* each : cards) each->cut = false;
  }
  take_all(1 + peers);
  EXPECT_EQ(sinks[0]->wrong, 0u);
  EXPECT_GT(count(0, "verbs.reconnections"), 20u);
  EXPECT_GT(count(0, "verbs.credits_given_up"), 0u);
  EXPECT_EQ(count(0, "verbs.packets_refused"), 0u);
  EXPECT_EQ(cards[0]->not_ready, 0u) << "RNR NAKs";
  EXPECT_EQ(ends[0]->lost(), std::vector<peer_id>{});
}

TEST_F(verbs_incast, first_datagrams_of_all_peers_find_receives) {
  constexpr peer_id peers = 400;
  verbs_options cold;
  cold.set.promote = 1'000'000'000;
  begin(1 + peers, cold, cold);
  const auto vanished = [&] {
    std::uint64_t all = 0;
    for (const verbs_double::card* each : cards) all += each->vanished;
    return all;
  };
  const std::uint64_t before = vanished();
  for (peer_id each = 1; each <= peers; ++each) {
    for (int several = 0; several < 20; ++several) (void)try_to_send(each);
    ends[each]->flush();
  }
  EXPECT_EQ(vanished(), before) << "rank 0 has not looked, and has a receive for each";
  EXPECT_GE(sent_in_all(), peers);
  take_all(1 + peers);
  EXPECT_EQ(sinks[0]->wrong, 0u);
  // One handle for each port that is talked to.
  EXPECT_EQ(cards[0]->handles, cards.size() - 1);
  EXPECT_LE(count(0, "verbs.pinned_bytes"), 64u << 20);
}

TEST_F(verbs_incast, beyond_the_limit_of_pinned_memory_messages_go_as_datagrams) {
  constexpr peer_id peers = 150;
  for (const bool shared : {true, false}) {
    TearDown();
    cards.clear();
    sinks.clear();
    verbs_options little;
    little.set.pinned = 8 << 20;
    little.set.srq = shared;
    begin(1 + peers, little);
    const auto send_all = [&] {
      for (peer_id each = 1; each <= peers; ++each)
        while (sent[each] < 40 && try_to_send(each)) {
        }
    };
    ASSERT_TRUE(until(
        [&] {
          send_all();
          poll_senders(1, 1 + peers);
          while (ends[0]->poll()) {
          }
        },
        [&] { return sinks[0]->count == std::size_t{40} * peers; }));
    EXPECT_EQ(sinks[0]->wrong, 0u);
    EXPECT_GE(count(0, "verbs.connections"), 50u);
    EXPECT_LT(count(0, "verbs.connections_most"), peers);
    EXPECT_LE(count(0, "verbs.pinned_bytes"), 8u << 20);
    EXPECT_EQ(cards[0]->not_ready, 0u) << "RNR NAKs";
    for (peer_id each = 0; each <= peers; ++each) EXPECT_TRUE(ends[each]->lost().empty());
  }
}

/// A device that takes receives and loses them.
TEST_F(verbs_incast, when_receives_are_lost_the_device_tells_and_windows_get_smaller) {
  constexpr peer_id peers = 8;
  verbs_options attentive;
  attentive.set.timeout = 0.2;
  begin(1 + peers, attentive);
  connect(1, 1 + peers);
  const std::uint64_t before = count(0, "verbs.receives_allotted");
  EXPECT_EQ(before, peers * 66u);
  for (verbs_double::shared_queue* each : verbs_double::everything().shared_queues)
    if (each->base.context->device == &cards[0]->device)
      each->waiting.erase(each->waiting.begin() + 100, each->waiting.end());
  // What can be used without the last of the receives.
  for (peer_id each = 1; each <= peers; ++each) (void)burst(each, 11);
  ASSERT_TRUE(until([&] { ends[0]->poll(); }, [&] { return count(0, "verbs.receives_low") > 0; }));
  // Peers that go on use less at a time.
  for (int round = 0; round < 30; ++round) {
    for (peer_id each = 1; each <= peers; ++each) (void)burst(each, 8);
    take_all(1 + peers);
  }
  EXPECT_LT(count(0, "verbs.receives_allotted"), before);
  EXPECT_EQ(cards[0]->not_ready, 0u) << "RNR NAKs";
  EXPECT_EQ(sinks[0]->wrong, 0u);
}

}  // namespace
