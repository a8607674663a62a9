// What adapters do that Soft-RoCE does not, or not on demand, on cards of this process's own:
// receives that vanish with their queue pair, a queue pair for datagrams that breaks, WRITEs that
// are acknowledged before they can be seen.
#include <gtest/gtest.h>

#include "unit/transport/verbs/double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

using verbs_device = verbs_on_cards;

/// What a shared queue has less than before is lost to all connections that come later.
TEST_F(verbs_device, receives_that_nobody_polled_come_back_when_their_peer_has_failed) {
  for (const bool told : {true, false}) {
    begin(5);
    for (verbs_double::card* each : cards) each->tells_last_wqe = told;
    meet(0, 1);
    const std::size_t slots = count(0, "verbs.slots");
    for (peer_id gone = 1; gone < 4; ++gone) {
      if (gone > 1) meet(0, gone);
      for (std::uint32_t each = 0; each < 40; ++each)
        ASSERT_TRUE(until(
            [&] { at(gone).poll(); },
            [&] { return at(gone).send(0, message(5000, each), pattern(5000, each).data()); }));
      at(gone).poll();  // all of them are there, in completions that nobody has read
      at(0).peer_failed(gone);
      ends[gone]->transport.reset();
      // Nothing is under way: every slot is free, or posted, but for those few that are posted in
      // chains.
      ASSERT_TRUE(wait([&] {
        return count(0, "verbs.slots_free") + cards[0]->shared_receives() + 16 >=
               count(0, "verbs.slots");
      })) << count(0, "verbs.slots") - count(0, "verbs.slots_free") - cards[0]->shared_receives()
          << " slots have gone";
      EXPECT_TRUE(wait([&] { return cards[0]->count(IBV_QPT_RC) == 0; }))
          << "its queue pairs are gone";
      EXPECT_GE(cards[0]->shared_receives() + 16, 66u + 32u);
    }
    EXPECT_LE(count(0, "verbs.slots"), slots + 128);
    meet(0, 4);
    got(0).clear();
    for (std::uint32_t each = 0; each < 100; ++each)
      ASSERT_TRUE(send(4, 0, message(5000, each), pattern(5000, each).data()));
    EXPECT_TRUE(wait([&] { return got(0).size() == 100; }));
  }
}

verbs_options without_connections() {
  verbs_options made;
  made.set.promote = 1'000'000'000;
  return made;
}

TEST_F(verbs_device, datagrams_go_on_when_their_queue_pair_broke) {
  for (const bool told : {false, true})
    for (const peer_id breaks : {0u, 1u}) {
      begin(2, without_connections());
      meet(0, 1);
      for (const auto& each : ends) each->arrivals.got.clear();
      std::uint32_t number = 0;
      for (int again = 0; again < 3; ++again) {
        for (std::uint32_t each = 0; each < 20; ++each, ++number)
          for (const peer_id from : {0u, 1u})
            ASSERT_TRUE(send(from, 1 - from, message(3000, number), pattern(3000, number).data()));
        cards[breaks]->break_datagrams(told);
        ASSERT_TRUE(wait([&] {
          return got(0).size() == number && got(1).size() == number && at(0).settled() &&
                 at(1).settled();
        }));
      }
      for (const peer_id to : {0u, 1u})
        for (std::uint32_t each = 0; each < number; ++each) {
          ASSERT_EQ(got(to)[each].head.context(), each);
          ASSERT_EQ(got(to)[each].payload, pattern(3000, each));
        }
      EXPECT_TRUE(at(0).lost().empty() && at(1).lost().empty());
    }
}

/// An idle process sleeps, and uses no processor.
TEST_F(verbs_device, a_queue_pair_that_broke_does_not_keep_its_process_busy) {
  begin(2, without_connections());
  meet(0, 1);
  cards[0]->refused_transitions = 1;  // and once more
  cards[0]->break_datagrams(false);
  int idle = 0;
  EXPECT_TRUE(until([&] { idle = at(0).poll() ? 0 : idle + 1; }, [&] { return idle == 1000; }));
  ASSERT_TRUE(send(1, 0, message(8), "12345678"));
  EXPECT_TRUE(wait([&] { return got(0).size() == 2; }));
}

TEST_F(verbs_device, a_device_that_carries_no_datagram_any_more_loses_its_peers) {
  begin(2, without_connections());
  meet(0, 1);
  cards[0]->refused_transitions = verbs_double::card::no_limit;
  cards[0]->break_datagrams(true);
  ASSERT_TRUE(at(0).send(1, message(8), "12345678"));
  std::vector<peer_id> lost;
  EXPECT_TRUE(wait([&] { return !(lost = at(0).lost()).empty(); }));
  EXPECT_EQ(lost, std::vector<peer_id>{1});
}

/// Both ends use two cards; what is written through the second one comes late.
class verbs_two_cards : public verbs_on_cards, public testing::WithParamInterface<const char*> {
 protected:
  static constexpr std::size_t large = 1'500'001, many = 3;
  std::vector<std::vector<std::byte>> sources, targets;
  std::vector<std::unique_ptr<tracked_fetch>> fetches;

  void SetUp() override {
    verbs_options both;
    both.set.device = "all";
    both.set.timeout = 0.2;
    both.set.rendezvous = rendezvous_named(GetParam());
    both.set.push = 0;
    begin(2, both);
    meet(0, 1);
    cards[1]->holds_writes = true;
    for (std::uint64_t each = 0; each < many; ++each) sources.push_back(pattern(large, each));
  }
  void TearDown() override {
    fetches.clear();
    verbs_on_cards::TearDown();
  }
  /// End 0 fetches payloads of end 1.
  void start() {
    fetches.clear();
    targets.assign(many, std::vector<std::byte>(large));
    for (std::size_t each = 0; each < many; ++each) {
      fetches.push_back(std::make_unique<tracked_fetch>(
          1, at(1).expose(0, sources[each].data(), large), targets[each].data(), large));
      at(0).start_fetch(*fetches.back());
    }
  }
  /// Each is looked at when it is said to be there, not later.
  void finish() {
    std::size_t seen = 0;
    const auto look = [&] {
      at(0).poll();
      for (std::size_t each = 0; each < many; ++each) {
        if (fetches[each]->calls != 1) continue;
        ++seen;
        fetches[each]->calls = 2;
        EXPECT_FALSE(fetches[each]->error) << fetches[each]->error.message();
        EXPECT_TRUE(targets[each] == sources[each]) << "payload " << each << " is not there";
        at(1).withdraw(0, fetches[each]->where);
      }
      at(1).poll();
    };
    ASSERT_TRUE(until(look, [&] { return seen == many; }));
  }
};

TEST_P(verbs_two_cards, what_is_said_to_be_written_is_there) {
  for (int round = 0; round < 3; ++round) {
    start();
    finish();
  }
  EXPECT_GT(count(1, "verbs.rail_bytes.double1:1"), large / 4);
  EXPECT_EQ(count(0, "verbs.rails_left_out") + count(1, "verbs.rails_left_out"), 0u);
  // Nothing is left that would keep a process from its sleep.
  int idle = 0;
  EXPECT_TRUE(until([&] { idle = at(0).poll() || at(1).poll() ? 0 : idle + 1; },
                    [&] { return idle == 500; }));
}

TEST_P(verbs_two_cards, what_was_written_through_a_card_that_fails_is_there_too) {
  for (const peer_id breaks : {0u, 1u})
    for (const int turns : {0, 1, 3, 6}) {
      if (breaks + turns > 0) SetUp();
      start();
      poll(turns);
      at(breaks).break_rail(1 - breaks, 1);
      finish();
      start();
      finish();
      EXPECT_TRUE(at(0).lost().empty() && at(1).lost().empty());
    }
}

INSTANTIATE_TEST_SUITE_P(all, verbs_two_cards, testing::Values("write", "both"),
                         [](const auto& of) { return std::string{of.param}; });

}  // namespace
