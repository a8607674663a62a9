// A thousand peers of one rank, each an end of its own in this process, on cards of its own: the
// rank's receive queue never runs empty, its pinned memory has a limit, and who sends gets the
// larger windows.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/page.hpp"
#include "transport/verbs/bulk/fetch_pacing.hpp"
#include "unit/transport/ends.hpp"
#include "unit/transport/verbs/double/card.hpp"
#include "unit/transport/verbs/double/objects.hpp"
#include "unit/transport/verbs/double/timeline.hpp"

namespace {

using namespace peal;
using namespace peal::test;

/// Counts, and looks whether messages come in order and whole.
struct checking final : sink {
  explicit checking(std::size_t peers) : next(peers) {}
  void arrived(peer_id from, envelope head, const std::byte* payload) noexcept override {
    wrong += head.context() != next[from]++;
    for (std::size_t each = 0; each < head.bytes(); each += 64)
      wrong += payload[each] != static_cast<std::byte>(head.context() + from);
    ++count;
  }
  std::vector<std::uint32_t> next;
  std::size_t count = 0, wrong = 0;
};

class verbs_incast : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 1000;

  std::size_t ranks_a_card = 128;

  machine here;
  std::vector<verbs_double::card*> cards;  // the first is rank 0's
  std::vector<std::unique_ptr<checking>> sinks;
  std::vector<std::unique_ptr<verbs_transport>> ends;
  std::vector<std::uint32_t> sent;

  void TearDown() override {
    verbs_double::work_at_once();
    ends.clear();
    verbs_double::remove_cards();
  }
  /// Peers have little to do, and so little memory.
  void begin(std::uint32_t count, const verbs_options& of_first = {}, verbs_options light = {}) {
    verbs_double::remove_cards();
    for (unsigned each = 0; each <= (count - 2) / ranks_a_card + 1; ++each) {
      cards.push_back(&verbs_double::add_card(1, each + 1));
      cards.back()->limits.max_srq = 128;
      cards.back()->limits.max_cqe = 4'194'303;  // as ConnectX has
    }
    sent.assign(count, 0);
    light.send_depth = 16;
    light.window = 8;
    std::vector<std::string> addresses;
    for (peer_id each = 0; each < count; ++each) {
      verbs_options its = each == 0 ? of_first : light;
      its.set.device = cards[each == 0 ? 0 : 1 + (each - 1) / ranks_a_card]->device.name;
      its.set.push = 0;
      sinks.push_back(std::make_unique<checking>(count));
      ends.push_back(std::make_unique<verbs_transport>(*sinks.back(), here, each, count, its));
      addresses.push_back(ends.back()->address());
    }
    for (const auto& each : ends) each->meet(addresses);
  }
  std::uint64_t count(peer_id of, std::string_view name) {
    std::vector<counter> all;
    ends[of]->report(all);
    const auto found = std::ranges::find(all, name, &counter::name);
    EXPECT_NE(found, all.end()) << name;
    return found == all.end() ? 0 : found->value;
  }
  [[nodiscard]] bool try_to_send(peer_id from) {
    const std::vector<std::byte> payload(bytes, static_cast<std::byte>(sent[from] + from));
    if (!ends[from]->send(0, message(bytes, sent[from]), payload.data())) return false;
    ++sent[from];
    return true;
  }
  std::size_t sent_in_all() const {
    std::size_t all = 0;
    for (const std::uint32_t each : sent) all += each;
    return all;
  }
  void poll_senders(peer_id first, peer_id end) {
    for (peer_id each = first; each < end; ++each) ends[each]->poll();
  }
  /// Rank 0 has queue pairs for large messages of these.
  void pair_up(peer_id first, peer_id end) {
    const std::vector<std::byte> source = pattern(page, 1);
    std::vector<std::byte> target(page);
    for (peer_id each = first; each < end; ++each) {
      tracked_fetch fetching{each, ends[each]->expose(0, source.data(), page), target.data(), page};
      ends[0]->start_fetch(fetching);
      ASSERT_TRUE(until([&] { ends[each]->poll(), ends[0]->poll(); },
                        [&] { return fetching.calls == 1; }));
      ends[each]->withdraw(0, fetching.where);
    }
    for (int turn = 0; turn < 4; ++turn) {
      poll_senders(first, end);
      ends[0]->poll();
    }
  }
  /// These have a connection, and all that they have sent is here.
  void connect(peer_id first, peer_id end) {
    for (peer_id each = first; each < end; ++each)
      ASSERT_TRUE(
          until([&] { ends[each]->poll(), ends[0]->poll(); }, [&] { return try_to_send(each); }));
    ASSERT_TRUE(until(
        [&] {
          poll_senders(first, end);
          ends[0]->poll();
        },
        [&] { return sinks[0]->count == sent_in_all(); }));
    for (int turn = 0; turn < 4; ++turn) {
      poll_senders(first, end);
      ends[0]->poll();
    }
  }
  /// So many messages of this peer leave while rank 0 does not look.
  std::uint32_t burst(peer_id from, std::uint32_t most = 1000) {
    const std::uint32_t before = sent[from];
    while (sent[from] - before < most) {
      const bool taken = try_to_send(from);
      ends[from]->poll();
      if (!taken && !try_to_send(from)) break;
    }
    ends[from]->poll();
    return sent[from] - before;
  }
  void take_all(peer_id end) {
    ASSERT_TRUE(until(
        [&] {
          while (ends[0]->poll()) {
          }
          poll_senders(1, end);
        },
        [&] { return sinks[0]->count == sent_in_all(); }));
  }
};

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

TEST_F(verbs_incast, large_messages_of_many_peers_come_a_few_parts_at_a_time) {
  constexpr peer_id peers = 16;
  constexpr std::size_t large = 4 << 20, alone = 8;  // parts of who is alone
  constexpr std::size_t part = verbs::fetch_pacing::longest_part, most = verbs::fetch_pacing::most;
  begin(1 + peers);
  connect(1, 1 + peers);
  pair_up(1, 1 + peers);
  const std::uint64_t reads = count(0, "verbs.reads"), bytes = count(0, "verbs.read_bytes");
  const std::vector<std::byte> source = pattern(large, 3);
  std::vector<std::vector<std::byte>> targets;
  std::vector<std::unique_ptr<tracked_fetch>> fetches;
  for (peer_id each = 1; each <= peers; ++each) {
    targets.emplace_back(large);
    fetches.push_back(std::make_unique<tracked_fetch>(
        each, ends[each]->expose(0, source.data(), large), targets.back().data(), large));
  }
  for (const auto& each : fetches) ends[0]->start_fetch(*each);
  EXPECT_LE(count(0, "verbs.reads") - reads, alone + most / part)
      << "the first began before there were others";
  const auto done = [&] {
    return std::ranges::count_if(fetches, [](const auto& each) { return each->calls == 1; });
  };
  std::uint64_t largest = 0;
  bool fair = true;
  ASSERT_TRUE(until(
      [&] {
        const std::uint64_t before = count(0, "verbs.read_bytes") - bytes;
        ends[0]->poll();
        const std::uint64_t here = count(0, "verbs.read_bytes") - bytes;
        if (before > 2 * large)
          largest =
              std::max(largest, large + (count(0, "verbs.reads") - reads - alone) * part - here);
        if (here < peers * large / 2) fair = fair && done() <= 1;
      },
      [&] { return done() == peers; }));
  EXPECT_LE(largest, 2 * most + part) << "more was under way at a time";
  EXPECT_TRUE(fair) << "some came to their end before the others had a part";
  for (const auto& each : fetches) EXPECT_FALSE(each->error);
  for (const auto& each : targets) EXPECT_TRUE(each == source);
  for (peer_id each = 1; each <= peers; ++each) ends[each]->withdraw(0, fetches[each - 1]->where);
}

/// Each peer's card sends with one processing unit of a third of the wire's rate.
TEST_F(verbs_incast, large_messages_of_several_peers_fill_the_wire) {
  constexpr std::size_t large = 2 << 20;
  const std::vector<std::byte> source = pattern(large, 3);
  ranks_a_card = 1;
  for (const peer_id peers : {3u, 8u, 24u}) {
    TearDown();
    cards.clear();
    sinks.clear();
    begin(1 + peers);
    connect(1, 1 + peers);
    pair_up(1, 1 + peers);
    std::vector<std::vector<std::byte>> targets(peers, std::vector<std::byte>(large));
    std::vector<std::unique_ptr<tracked_fetch>> fetches;
    for (peer_id each = 1; each <= peers; ++each)
      fetches.push_back(std::make_unique<tracked_fetch>(
          each, ends[each]->expose(0, source.data(), large), targets[each - 1].data(), large));
    verbs_double::cost_model costs;
    costs.registration = costs.pin = 0;  // their buffers are registered
    verbs_double::simulate(costs);
    for (const auto& each : fetches) ends[0]->start_fetch(*each);
    ASSERT_TRUE(until([&] { ends[0]->poll(); },
                      [&] {
                        return std::ranges::all_of(
                            fetches, [](const auto& each) { return each->calls == 1; });
                      }));
    const auto wire =
        static_cast<double>(costs.wire_byte * static_cast<verbs_double::picoseconds>(
                                                  peers * large / costs.packet *
                                                  (costs.packet + costs.packet_overhead)));
    const double used = wire / static_cast<double>(verbs_double::simulated_time());
    EXPECT_GE(used, 0.9) << "of the wire, with " << peers << " peers";
    RecordProperty("wire_of_" + std::to_string(peers), std::to_string(used));
    verbs_double::work_at_once();
    for (const auto& each : targets) EXPECT_TRUE(each == source);
    for (peer_id each = 1; each <= peers; ++each) ends[each]->withdraw(0, fetches[each - 1]->where);
  }
}

TEST_F(verbs_incast, a_peer_that_fails_gives_its_turn_to_others) {
  constexpr peer_id peers = 6;
  constexpr std::size_t large = 4 << 20;
  begin(1 + peers);
  connect(1, 1 + peers);
  pair_up(1, 1 + peers);
  const std::vector<std::byte> source = pattern(large, 5);
  std::vector<std::vector<std::byte>> targets;
  std::vector<std::unique_ptr<tracked_fetch>> fetches;
  for (peer_id each = 1; each <= peers; ++each) {
    targets.emplace_back(large);
    fetches.push_back(std::make_unique<tracked_fetch>(
        each, ends[each]->expose(0, source.data(), large), targets.back().data(), large));
  }
  for (const auto& each : fetches) ends[0]->start_fetch(*each);
  // The first one's READs are all that is under way; the second one waits.
  ends[0]->peer_failed(1);
  ends[0]->peer_failed(2);
  ASSERT_TRUE(until([&] { ends[0]->poll(); },
                    [&] {
                      return std::ranges::all_of(fetches,
                                                 [](const auto& each) { return each->calls == 1; });
                    }));
  for (peer_id each = 3; each <= peers; ++each) {
    EXPECT_FALSE(fetches[each - 1]->error);
    EXPECT_TRUE(targets[each - 1] == source);
  }
}

TEST_F(verbs_incast, peers_whose_connections_break_all_at_once_take_turns_again) {
  constexpr peer_id peers = 3;
  constexpr std::size_t large = 4 << 20;
  ranks_a_card = 1;
  verbs_options patient;
  patient.set.ack_timeout = 0.001;
  begin(1 + peers, patient, patient);
  connect(1, 1 + peers);
  pair_up(1, 1 + peers);
  const std::vector<std::byte> source = pattern(large, 5);
  std::vector<std::vector<std::byte>> targets;
  std::vector<std::unique_ptr<tracked_fetch>> fetches;
  for (peer_id each = 1; each <= peers; ++each) {
    targets.emplace_back(large);
    fetches.push_back(std::make_unique<tracked_fetch>(
        each, ends[each]->expose(0, source.data(), large), targets.back().data(), large));
  }
  // Some is under way of each, and will never come; all wait for their turn.
  cards[0]->cut = true;
  for (const auto& each : fetches) ends[0]->start_fetch(*each);
  const auto all = [&] {
    ends[0]->poll();
    poll_senders(1, 1 + peers);
  };
  ASSERT_TRUE(until(all, [&] { return count(0, "verbs.interruptions") >= peers; }));
  cards[0]->cut = false;
  ASSERT_TRUE(until(all, [&] {
    return std::ranges::all_of(fetches, [](const auto& each) { return each->calls == 1; });
  }));
  EXPECT_GE(count(0, "verbs.reconnections"), 3u);
  for (const auto& each : fetches) EXPECT_FALSE(each->error);
  for (const auto& each : targets) EXPECT_TRUE(each == source);
  for (peer_id each = 1; each <= peers; ++each) ends[each]->withdraw(0, fetches[each - 1]->where);
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
