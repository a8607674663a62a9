// Queue pairs for large messages of connections that break and are made again, on cards of this
// process's own: as many come again as there were, wherever in their making it broke.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "transport/verbs/connect/reconnector.hpp"
#include "unit/transport/verbs/connect/random_traffic.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_reconnected_pairs : public verbs_traffic {
 protected:
  static verbs_options over(std::size_t pairs, std::string_view how) {
    verbs_options made = hasty();
    made.set.qps = pairs;
    made.set.rendezvous = rendezvous_named(how);
    return made;
  }
  std::uint64_t read_over(peer_id by, std::size_t queue_pair) {
    return count(by, "verbs.queue_bytes." + std::to_string(queue_pair));
  }
  /// Until its retries are over, and then no longer.
  void cut(peer_id which) {
    const std::uint64_t before = broken();
    cards[which]->cut = true;
    // Somebody must send something to notice.
    ASSERT_TRUE(
        until([&] { send_some(0), send_some(1), poll(); }, [&] { return broken() > before; }));
    cards[which]->cut = false;
  }
  void expect_pairs(std::size_t wanted) {
    for (const peer_id each : {0u, 1u}) {
      EXPECT_EQ(count(each, "verbs.bulk_pairs"), wanted);
      EXPECT_EQ(cards[each]->count(IBV_QPT_RC), 1 + wanted);
      EXPECT_EQ(count(each, "verbs.packets_refused"), 0u);
    }
  }
};

TEST_F(verbs_reconnected_pairs, as_many_as_before_are_used_again) {
  for (const char* how : {"read", "write", "both"})
    for (const std::size_t pairs : {1u, 4u}) {
      start(over(pairs, how));
      for (int round = 0; round < 12; ++round) {
        for (int left = 100; left > 0; --left) turn();
        cut(random() % 2);
        if (HasFatalFailure()) return;
        for (unsigned left = static_cast<unsigned>(random() % 200); left > 0; --left) turn();
        ASSERT_TRUE(quiet());
        poll(1000);  // until the failure is over, so that the next one is counted
      }
      finish();
      ASSERT_TRUE(quiet());
      EXPECT_GE(count(0, "verbs.reconnections"), 12u);
      std::array<std::array<std::uint64_t, 4>, 2> before{};
      for (const peer_id by : {0u, 1u})
        for (std::size_t each = 0; each < pairs; ++each) before[by][each] = read_over(by, each);
      for (const peer_id from : {0u, 1u}) begin_large(from, 4'000'000);
      finish();
      expect_pairs(pairs + (std::string_view{how} == "read" ? 0 : 1));
      if (std::string_view{how} == "write") continue;
      for (const peer_id by : {0u, 1u})
        for (std::size_t each = 0; each < pairs; ++each)
          EXPECT_GT(read_over(by, each), before[by][each]) << each;
    }
}

/// What was said of queue pairs before means nothing afterwards, whether it has arrived or not.
TEST_F(verbs_reconnected_pairs, wherever_in_their_making_it_breaks) {
  for (const bool lost : {false, true})
    for (const peer_id breaks : {0u, 1u})
      for (const peer_id first : {0u, 1u})
        for (unsigned polls = 0; polls < 10; ++polls) {
          SCOPED_TRACE(std::to_string(polls) + " polls");
          start(over(2, "both"));
          begin_large(first, 300'000);
          if (polls % 2 == 0) begin_large(1 - first, 300'000);
          for (unsigned each = 0; each < polls; ++each) at((each + first) % 2).poll();
          if (lost) cut(breaks);
          else at(breaks).break_connection(1 - breaks);
          finish();
          ASSERT_TRUE(quiet());
          for (const peer_id from : {0u, 1u}) begin_large(from, 300'000);
          finish();
          expect_pairs(3);
          if (HasFailure()) return;
        }
}

/// Then what had begun waits, and what begins goes through slots.
TEST_F(verbs_reconnected_pairs, a_device_may_give_none_for_a_while) {
  for (const char* how : {"read", "write"})
    for (const peer_id poor : {0u, 1u}) {
      start(over(2, how));
      for (const peer_id from : {0u, 1u}) begin_large(from, 400'000);
      finish();
      cards[1]->cut = true;
      for (const peer_id from : {0u, 1u}) begin_large(from, 2'000'000);
      cut(1);
      if (HasFatalFailure()) return;
      cards[poor]->most_reliable = 1;
      ASSERT_TRUE(quiet());
      pass(std::chrono::milliseconds{50});
      for (const peer_id from : {0u, 1u}) {
        EXPECT_EQ(ways[from].large.front().fetching->calls, 0);
        EXPECT_EQ(count(from, "verbs.bulk_pairs"), 0u);
      }
      begin_large(0, 100'000);
      ASSERT_TRUE(wait_long([&] { return ways[0].large.back().fetching->calls == 1; }));
      cards[poor]->most_reliable = verbs_double::card::no_limit;
      finish();
      EXPECT_GT(count(0, "verbs.bulk_pairs"), 0u);
    }
}

}  // namespace
