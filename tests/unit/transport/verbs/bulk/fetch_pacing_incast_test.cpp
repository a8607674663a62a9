// Large messages that several peers have for a rank at the same time: they fill its wire, come a
// few parts at a time, and peers take turns.
#include "transport/verbs/bulk/fetch_pacing.hpp"
#include "unit/transport/verbs/incast.hpp"

namespace {

using namespace peal;
using namespace peal::test;

TEST_F(verbs_incast, large_messages_of_many_peers_come_a_few_parts_at_a_time) {
  constexpr peer_id peers = 16;
  constexpr std::size_t large = 4 << 20, alone = 8;  // parts of who is alone
  constexpr std::size_t part = peal::verbs::fetch_pacing::longest_part,
                        most = peal::verbs::fetch_pacing::most;
  begin(1 + peers);
  connect(1, 1 + peers);
  pair_up(1, 1 + peers);
  const std::uint64_t reads = count(0, "verbs.reads"), bytes = count(0, "verbs.read_bytes");
  const auto [source, targets, fetches] = large_of_each(peers, large);
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
  ranks_a_card = 1;
  for (const peer_id peers : {3u, 8u, 24u}) {
    TearDown();
    cards.clear();
    sinks.clear();
    begin(1 + peers);
    connect(1, 1 + peers);
    pair_up(1, 1 + peers);
    const auto [source, targets, fetches] = large_of_each(peers, large);
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
  const auto [source, targets, fetches] = large_of_each(peers, large);
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
  const auto [source, targets, fetches] = large_of_each(peers, large);
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

}  // namespace
