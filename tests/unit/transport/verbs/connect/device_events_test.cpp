// What cards report of their ports, on cards of this process's own: the queue pair for handshakes
// of each card is looked after, so that a second card carries everything when the first one goes.
#include "transport/verbs/connect/device_events.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "progress/wakeup.hpp"
#include "unit/transport/verbs/connect/random_traffic.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_device_events : public verbs_traffic {
 protected:
  using clock = std::chrono::steady_clock;

  /// Both ends have two cards of their own; every handshake has gone over both.
  void start_on_two(bool infiniband, const verbs_options& settings = hasty()) {
    for (way& each : ways) each = {};
    begin_apart(
        2, {{.network = 1, .infiniband = infiniband}, {.network = 2, .infiniband = infiniband}},
        settings);
    meet(0, 1);
    for (const peer_id each : {0u, 1u}) got(each).clear();
    for (int left = 100; left > 0; --left) turn();
  }
  /// The connection is made again over the second cards.
  void first_card_goes(peer_id of) {
    card_of(of, 0).cut = true;
    for (int left = 200; left > 0; --left) turn();
    finish();
    EXPECT_GT(count(0, "verbs.reconnections"), 0u);
    EXPECT_EQ(card_of(of, 0).count(IBV_QPT_RC), 0u) << "nothing is left on it";
  }
};

TEST_F(verbs_device_events, handshakes_pass_a_second_card_whose_partitions_have_moved) {
  for (const peer_id whose : {0u, 1u}) {
    start_on_two(true);
    card_of(whose, 1).change_keys({0x8001, 0xffff});
    first_card_goes(0);
    if (HasFailure()) return;
  }
}

TEST_F(verbs_device_events, handshakes_pass_a_second_card_whose_addresses_have_moved) {
  for (const peer_id whose : {0u, 1u}) {
    start_on_two(false);
    verbs_double::port& at = card_of(whose, 1).ports[0];
    // The table begins with one of another kind now.
    ibv_gid_entry before = at.gids[0];
    at.gids[0].gid_type = IBV_GID_TYPE_ROCE_V1;
    at.add_gid(static_cast<ibv_gid_type>(before.gid_type), before.gid);
    card_of(whose, 1).tell(IBV_EVENT_GID_CHANGE);
    first_card_goes(0);
    if (HasFailure()) return;
  }
}

/// The connection is over the first cards, and none of its handshakes tells where the second ones
/// are. When the first ones have other addresses at both ends at the same moment, nothing else
/// leads from one end to the other.
TEST_F(verbs_device_events, second_cards_are_found_although_both_have_had_other_addresses_before) {
  start_on_two(true);
  std::uint16_t lid = 77;
  for (const std::size_t card : {1u, 0u, 1u, 0u}) {
    const std::uint64_t before[] = {count(0, "verbs.device_events"),
                                    count(1, "verbs.device_events")};
    for (const peer_id each : {0u, 1u}) card_of(each, card).bring_up(1, lid++);
    ASSERT_TRUE(wait_long([&] {
      return count(0, "verbs.device_events") > before[0] &&
             count(1, "verbs.device_events") > before[1];
    }));
    for (int left = 200; left > 0; --left) turn();
    finish();
    if (HasFailure()) return;
  }
  EXPECT_GT(count(0, "verbs.reconnections"), 0u);
}

TEST_F(verbs_device_events, handshakes_pass_a_second_card_whose_queue_pair_broke) {
  for (const bool told : {false, true}) {
    start_on_two(false);
    card_of(1, 1).break_datagrams(told);
    first_card_goes(0);
    if (HasFailure()) return;
  }
}

/// It sleeps while the queue pair waits for its next try to be opened, and nothing but that time
/// wakes it.
TEST_F(verbs_device_events, who_sleeps_wakes_to_open_the_queue_pair_of_a_second_card) {
  wakeup bell;
  verbs_options settings = hasty();
  settings.set.timeout = 1000;  // so that no probe hides a wake-up that was lost
  settings.bell = &bell;
  start_on_two(false, settings);
  finish();
  constexpr std::chrono::seconds too_long{20};
  bool lost = false;
  const auto sleeps_once = [&] {
    const bool armed = at(1).arm();
    if (armed && !at(1).poll()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::clamp<clock::duration>(
          at(1).wakes_at() - clock::now(), clock::duration{0}, too_long));
      std::vector<pollfd> all{{bell.descriptor(), POLLIN, 0}};
      for (const int each : at(1).descriptors()) all.push_back({each, POLLIN, 0});
      lost |=
          ::poll(all.data(), all.size(), static_cast<int>(left.count())) == 0 && left >= too_long;
      bell.clear();
      for (std::size_t each = 1; each < all.size(); ++each)
        if (all[each].revents != 0) at(1).rang(all[each].fd);
    }
    at(1).disarm();
    at(1).poll();
  };
  card_of(1, 1).refused_transitions = 2;
  card_of(1, 1).break_datagrams(true);
  card_of(1, 0).cut = true;
  std::atomic<bool> over{false};
  std::thread other{[&] {
    EXPECT_TRUE(at(0).send(1, message(8, 0), "12345678"));
    while (!over) at(0).poll();
  }};
  while (!lost && got(1).empty()) sleeps_once();
  EXPECT_FALSE(lost) << "it sleeps, and nobody opens the queue pair";
  over = true;
  other.join();
}

// ---- paths that are dead: nobody is told, and nothing says so but silence

using verbs_dead_paths = verbs_device_events;

TEST_F(verbs_dead_paths, a_connection_tries_one_pair_of_ports_after_the_other) {
  for (const peer_id whose : {0u, 1u}) {
    for (way& each : ways) each = {};
    begin_apart(2, {{.network = 1}, {.network = 2}, {.network = 3}}, hasty());
    meet(0, 1);
    for (const peer_id each : {0u, 1u}) got(each).clear();
    for (const std::size_t dead : {0u, 1u}) {
      for (int left = 100; left > 0; --left) turn();
      card_of(whose, dead).ports[0].cut = true;
      for (int left = 200; left > 0; --left) turn();
      finish();
      if (HasFailure()) return;
    }
    EXPECT_EQ(card_of(0, 0).count(IBV_QPT_RC) + card_of(0, 1).count(IBV_QPT_RC), 0u);
    EXPECT_GT(card_of(0, 2).count(IBV_QPT_RC), 0u);
  }
}

/// Each end has lost another one of its ports: the pair in which both are left is found.
TEST_F(verbs_dead_paths, the_one_pair_of_ports_that_is_left_is_found) {
  begin_apart(2, {{.network = 1}, {.network = 2}, {.network = 3}}, hasty());
  for (way& each : ways) each = {};
  card_of(0, 0).ports[0].cut = true;
  card_of(1, 1).ports[0].cut = true;
  for (int left = 200; left > 0; --left) turn();
  finish();
  EXPECT_GT(card_of(0, 2).count(IBV_QPT_RC), 0u);
}

/// The other end does not know, and asks for the link over which they have talked.
TEST_F(verbs_dead_paths, a_card_that_changes_no_queue_pair_any_more_is_left) {
  for (const peer_id whose : {0u, 1u})
    for (const peer_id breaks : {0u, 1u}) {
      start_on_two(false);
      card_of(whose, 0).refused_transitions = verbs_double::card::no_limit;
      at(breaks).break_connection(1 - breaks);
      for (int left = 200; left > 0; --left) turn();
      finish();
      if (HasFailure()) return;
      EXPECT_GT(count(0, "verbs.reconnections"), 0u);
      EXPECT_EQ(card_of(whose, 0).count(IBV_QPT_RC), 0u) << "nothing is left on it";
    }
}

TEST_F(verbs_dead_paths, large_messages_pass_a_card_that_changes_no_queue_pair_any_more) {
  for (const peer_id whose : {0u, 1u}) {
    for (way& each : ways) each = {};
    begin_apart(2, {{.network = 1}, {.network = 2}}, hasty());
    meet(0, 1);
    for (const peer_id each : {0u, 1u}) got(each).clear();
    card_of(whose, 0).refused_transitions = verbs_double::card::no_limit;
    for (const peer_id each : {0u, 1u}) begin_large(each, 400'000);
    for (int left = 200; left > 0; --left) turn();
    finish();
    if (HasFailure()) return;
  }
}

/// Short packets pass, also those by which adapters answer.
TEST_F(verbs_dead_paths, a_path_that_takes_short_packets_only_is_left) {
  start_on_two(false);
  card_of(0, 0).ports[0].switch_takes = 512;
  for (int left = 300; left > 0; --left) turn();
  finish();
  EXPECT_EQ(card_of(0, 0).count(IBV_QPT_RC), 0u);
}

}  // namespace
