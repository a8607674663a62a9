// Streams of large messages in simulated time, on cards of this process's own: how much of the wire
// they take over how many queue pairs, how even their parts are dealt out, and how many doorbells
// they ring.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/transport/verbs/double/ends.hpp"
#include "unit/transport/verbs/double/timeline.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using verbs_double::cost_model;

std::uint64_t simulated_nanoseconds() noexcept {
  return static_cast<std::uint64_t>(verbs_double::simulated_time() / verbs_double::nanosecond);
}

class verbs_stream : public verbs_on_cards {
 protected:
  static constexpr std::size_t length = 1 << 20, window = 8;
  std::vector<std::byte> source, targets;
  std::vector<std::unique_ptr<tracked_fetch>> fetches;

  void TearDown() override {
    verbs_on_cards::TearDown();
    verbs_double::work_at_once();
  }
  void begin_stream(std::optional<std::size_t> queue_pairs = {}, const cost_model& costs = {}) {
    verbs_options options;
    options.set.qps = queue_pairs;
    options.nanoseconds = simulated_nanoseconds;
    options.without_hooks = true;  // a registration takes time, and is not what these are about
    begin(2, options);
    meet(0, 1);
    source = pattern(length, 7);
    targets.assign(window * length, std::byte{});
    verbs_double::simulate(costs);
  }
  void start(std::size_t number) {
    fetches.push_back(std::make_unique<tracked_fetch>(1, at(1).expose(0, source.data(), length),
                                                      targets.data() + number % window * length,
                                                      length));
    at(0).start_fetch(*fetches.back());
  }
  /// End 0 fetches so many, `window` of them at a time; what part of the wire's rate that is.
  double stream(std::size_t count) {
    const verbs_double::picoseconds from = verbs_double::simulated_time();
    std::size_t begun = 0, over = 0;
    fetches.clear();
    EXPECT_TRUE(until([&] { poll(); },
                      [&] {
                        while (over < begun && fetches[over]->calls > 0) {
                          EXPECT_FALSE(fetches[over]->error);
                          at(1).withdraw(0, fetches[over]->where);
                          ++over;
                        }
                        while (begun < count && begun - over < window) start(begun++);
                        return over == count;
                      }));
    for (std::size_t each = 0; each < std::min(window, count); ++each)
      EXPECT_TRUE(std::ranges::equal(std::span{targets}.subspan(each * length, length), source));
    return static_cast<double>(count * length) * static_cast<double>(cost_model{}.wire_byte) /
           static_cast<double>(verbs_double::simulated_time() - from);
  }
  std::vector<std::uint64_t> bytes_of_queues() {
    std::vector<std::uint64_t> made;
    for (int each = 0; each < 8; ++each)
      made.push_back(count(0, "verbs.queue_bytes." + std::to_string(each)));
    return made;
  }
};

TEST_F(verbs_stream, as_many_queue_pairs_are_taken_as_fill_the_wire) {
  begin_stream();
  (void)stream(300);  // in which they are found
  EXPECT_GE(stream(64), 0.95);
  EXPECT_GE(count(0, "verbs.bulk_pairs_used"), 4u);
}

/// The trials go on with the outage between, of which they take no notice.
TEST_F(verbs_stream, a_connection_that_broke_has_as_many_queue_pairs_again) {
  begin_stream();
  for (int round = 0; round < 4; ++round) {
    (void)stream(round == 0 ? 300 : 20);
    for (std::size_t each = fetches.size(), left = window; left > 0; --left) start(each++);
    poll(30);
    if (round % 2 == 0) at(0).break_connection(1);
    cards[1]->cut = round % 2 != 0;
    ASSERT_TRUE(
        wait([&] { return count(0, "verbs.interruptions") > count(0, "verbs.reconnections"); }));
    cards[1]->cut = false;
    EXPECT_EQ(count(0, "verbs.bulk_pairs"), 0u);
    ASSERT_TRUE(wait([&] {
      return std::ranges::all_of(fetches, [](const auto& each) { return each->calls == 1; });
    }));
    for (const auto& each : fetches) EXPECT_FALSE(each->error);
    for (std::size_t each = 0; each < window; ++each)
      EXPECT_TRUE(std::ranges::equal(std::span{targets}.subspan(each * length, length), source));
  }
  const std::vector<std::uint64_t> before = bytes_of_queues();
  (void)stream(64);
  EXPECT_GE(count(0, "verbs.bulk_pairs"), 4u);
  EXPECT_EQ(count(1, "verbs.bulk_pairs"), count(0, "verbs.bulk_pairs"));
  const std::vector<std::uint64_t> after = bytes_of_queues();
  for (std::size_t each = 0; each < 4; ++each) EXPECT_GT(after[each], before[each]);
}

TEST_F(verbs_stream, one_queue_pair_has_the_rate_of_one_processing_unit) {
  begin_stream(1);
  (void)stream(window);
  const double found = stream(64);
  EXPECT_GT(found, 0.32);
  EXPECT_LT(found, 0.335);
}

TEST_F(verbs_stream, parts_are_dealt_out_evenly) {
  begin_stream(4);
  (void)stream(window);
  const std::vector<std::uint64_t> before = bytes_of_queues();
  (void)stream(64);
  std::vector<std::uint64_t> moved = bytes_of_queues();
  for (std::size_t each = 0; each < moved.size(); ++each) moved[each] -= before[each];
  EXPECT_EQ(std::accumulate(moved.begin(), moved.end(), std::uint64_t{0}), 64 * length);
  for (std::size_t each = 0; each < 4; ++each) EXPECT_GT(moved[each], 64 * length / 8) << each;
  EXPECT_EQ(moved[4], 0u);
}

/// As the steps of a collective do.
TEST_F(verbs_stream, messages_of_one_step_share_a_doorbell_for_each_queue_pair) {
  begin_stream(4);
  (void)stream(1);
  for (int step = 0; step < 3; ++step) {
    const std::uint64_t bells = count(0, "verbs.read_doorbells"), reads = count(0, "verbs.reads");
    const std::vector<std::uint64_t> before = bytes_of_queues();
    fetches.clear();
    at(0).hold_together(batching::of_one_peer);
    for (std::size_t each = 0; each < window; ++each) start(each);
    at(0).hold_together(batching::none);
    EXPECT_EQ(count(0, "verbs.read_doorbells") - bells, 4u);
    EXPECT_EQ(count(0, "verbs.reads") - reads, 4 * window);
    ASSERT_TRUE(wait([&] {
      return std::ranges::all_of(fetches, [](const auto& each) { return each->calls == 1; });
    }));
    EXPECT_EQ(count(0, "verbs.read_doorbells") - bells, 4u);
    for (const auto& each : fetches) at(1).withdraw(0, each->where);
    const std::vector<std::uint64_t> after = bytes_of_queues();
    for (std::size_t each = 0; each < 4; ++each)
      EXPECT_EQ(after[each] - before[each], window * length / 4);
  }
}

TEST_F(verbs_stream, one_message_rings_one_doorbell_for_each_queue_pair) {
  for (const std::size_t pairs : {1u, 2u, 4u, 8u}) {
    begin_stream(pairs);
    (void)stream(1);
    const std::uint64_t bells = count(0, "verbs.read_doorbells");
    const std::vector<std::uint64_t> before = bytes_of_queues();
    (void)stream(1);
    EXPECT_EQ(count(0, "verbs.read_doorbells") - bells, pairs);
    const std::vector<std::uint64_t> after = bytes_of_queues();
    for (std::size_t each = 0; each < pairs; ++each)
      EXPECT_EQ(after[each] - before[each], length / pairs);
  }
}

/// Small and many parts: only what is through makes room for more, half of a queue at a time.
TEST_F(verbs_stream, a_full_queue_is_refilled_by_halves) {
  begin_stream(1);
  (void)stream(1);
  constexpr std::size_t many = 256, bytes = 64 << 10;
  const std::uint64_t bells = count(0, "verbs.read_doorbells");
  fetches.clear();
  at(0).hold_together(batching::of_one_peer);
  for (std::size_t each = 0; each < many; ++each) {
    fetches.push_back(std::make_unique<tracked_fetch>(
        1, at(1).expose(0, source.data(), bytes), targets.data() + each % window * length, bytes));
    at(0).start_fetch(*fetches.back());
  }
  EXPECT_EQ(count(0, "verbs.read_doorbells"), bells);
  at(0).hold_together(batching::none);
  EXPECT_EQ(count(0, "verbs.read_doorbells"), bells + 1);
  EXPECT_TRUE(wait([&] {
    return std::ranges::all_of(fetches, [](const auto& each) { return each->calls == 1; });
  }));
  // 16 at first, 8 each time.
  EXPECT_LE(count(0, "verbs.read_doorbells") - bells, 1 + (many - 16) / 8);
  for (const auto& each : fetches) at(1).withdraw(0, each->where);
}

/// The table of doc/internals/rdma.md: the rate over 1, 2, 4 and 8 queue pairs.
TEST_F(verbs_stream, more_queue_pairs_are_never_slower_until_the_wire_is_full) {
  double last = 0;
  for (const std::size_t pairs : {1u, 2u, 4u, 8u}) {
    begin_stream(pairs);
    (void)stream(2 * window);
    const double found = stream(64);
    RecordProperty("share_of_" + std::to_string(pairs), std::to_string(found));
    RecordProperty("reads_a_doorbell_of_" + std::to_string(pairs),
                   std::to_string(static_cast<double>(count(0, "verbs.reads")) /
                                  static_cast<double>(count(0, "verbs.read_doorbells"))));
    EXPECT_GE(found, 0.99 * last) << pairs;
    last = found;
  }
  EXPECT_GE(last, 0.95);
}

/// What a round of a collective sends to each of its peers leaves with one doorbell.
TEST_F(verbs_stream, a_round_of_small_messages_rings_one_doorbell_for_each_peer) {
  begin(5);
  for (peer_id each = 1; each < 5; ++each) meet(0, each);
  for (int round = 0; round < 3; ++round) {
    poll(20);
    const std::uint64_t bells = count(0, "verbs.doorbells");
    at(0).hold_together(batching::of_one_peer);
    for (std::uint32_t number = 0; number < 6; ++number)
      for (peer_id to = 1; to < 5; ++to)
        ASSERT_TRUE(at(0).send(to, message(200, number), pattern(200, number).data()));
    at(0).hold_together(batching::none);
    EXPECT_EQ(count(0, "verbs.doorbells") - bells, 4u);
    ASSERT_TRUE(wait([&] {
      for (peer_id to = 1; to < 5; ++to)
        if (got(to).size() < 1 + 6 * static_cast<std::size_t>(round + 1)) return false;
      return true;
    }));
  }
}

}  // namespace
