// Queue pairs for large messages come when they are needed, on cards of this process's own: from
// either side or both at once, fewer where a device gives fewer, none where it gives none.
#include "transport/verbs/connect/pairs/pair_maker.hpp"

#include <gtest/gtest.h>

#include "unit/transport/verbs/double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_pairs : public verbs_on_cards {
 protected:
  static constexpr std::size_t large = 1'000'003;
  std::vector<std::byte> source = pattern(large, 3);
  struct one {
    peer_id to, from;
    std::vector<std::byte> target;
    std::unique_ptr<tracked_fetch> fetching;
  };
  std::vector<std::unique_ptr<one>> fetches;

  void TearDown() override {
    verbs_on_cards::TearDown();
    fetches.clear();
  }
  void start(peer_id to, peer_id from) {
    auto made = std::make_unique<one>(one{to, from, std::vector<std::byte>(large), nullptr});
    made->fetching = std::make_unique<tracked_fetch>(
        from, at(from).expose(to, source.data(), large), made->target.data(), large);
    at(to).start_fetch(*made->fetching);
    fetches.push_back(std::move(made));
  }
  void finish() {
    for (const auto& each : fetches) {
      EXPECT_TRUE(wait([&] { return each->fetching->calls > 0; }));
      EXPECT_EQ(each->fetching->calls, 1);
      EXPECT_FALSE(each->fetching->error) << each->fetching->error.message();
      EXPECT_TRUE(each->target == source);
      at(each->from).withdraw(each->to, each->fetching->where);
    }
    fetches.clear();
    poll(50);
  }
  std::size_t pairs(peer_id of) { return cards[of]->count(IBV_QPT_RC); }
};

TEST_F(verbs_pairs, a_connection_begins_with_the_one_for_messages) {
  begin(2);
  meet(0, 1);
  for (std::uint32_t each = 0; each < 100; ++each)
    ASSERT_TRUE(send(0, 1, message(5000, each), pattern(5000, each).data()));
  poll(50);
  EXPECT_EQ(pairs(0), 1u);
  EXPECT_EQ(pairs(1), 1u);
  start(0, 1);
  finish();
  EXPECT_EQ(pairs(0), 2u);
  EXPECT_EQ(pairs(1), 2u);
  EXPECT_EQ(count(0, "verbs.bulk_pairs"), 1u);
  EXPECT_EQ(count(0, "verbs.read_bytes"), large);
  start(1, 0);
  finish();
  EXPECT_EQ(pairs(0), 2u) << "the same serves the other way";
  EXPECT_EQ(count(1, "verbs.read_bytes"), large);
}

TEST_F(verbs_pairs, both_sides_may_ask_at_once) {
  for (const rendezvous_mode how : {rendezvous_mode::read, rendezvous_mode::both}) {
    verbs_options options;
    options.set.qps = 4;
    options.set.rendezvous = how;
    begin(2, options);
    meet(0, 1);
    for (int each = 0; each < 3; ++each) {
      start(0, 1);
      start(1, 0);
    }
    finish();
    const std::size_t wanted = how == rendezvous_mode::read ? 4 : 5;
    EXPECT_EQ(count(0, "verbs.bulk_pairs"), wanted);
    EXPECT_EQ(count(1, "verbs.bulk_pairs"), wanted);
    EXPECT_EQ(count(0, "verbs.packets_refused") + count(1, "verbs.packets_refused"), 0u);
  }
}

TEST_F(verbs_pairs, both_sides_may_want_another_number) {
  for (const peer_id more : {0u, 1u})
    for (const bool at_once : {false, true}) {
      ends.clear();
      cards.clear();
      verbs_double::remove_cards();
      for (peer_id each = 0; each < 2; ++each) {
        cards.push_back(&verbs_double::add_card(1, each + 1));
        verbs_options options;
        options.set.device = cards[each]->device.name;
        options.set.qps = each == more ? 4 : 1;
        options.set.rendezvous = each == more ? rendezvous_mode::read : rendezvous_mode::both;
        ends.push_back(std::make_unique<end>());
        ends[each]->transport =
            std::make_unique<verbs_transport>(ends[each]->arrivals, here, each, 2, options);
      }
      meet_all();
      meet(0, 1);
      for (const peer_id each : {0u, 1u}) {
        start(each, 1 - each);
        if (!at_once) finish();
      }
      finish();
      start(0, 1);
      start(1, 0);
      finish();
      EXPECT_EQ(count(0, "verbs.bulk_pairs"), 5u);
      EXPECT_EQ(count(1, "verbs.bulk_pairs"), 5u);
    }
}

TEST_F(verbs_pairs, where_a_device_gives_fewer_there_are_fewer) {
  for (const peer_id poor : {0u, 1u}) {
    verbs_options options;
    options.set.qps = 4;
    begin(2, options);
    meet(0, 1);
    cards[poor]->most_reliable = 3;
    start(0, 1);
    start(1, 0);
    finish();
    EXPECT_EQ(count(0, "verbs.bulk_pairs"), 2u);
    EXPECT_EQ(count(1, "verbs.bulk_pairs"), 2u);
    EXPECT_EQ(count(0, "verbs.read_bytes"), large);
    EXPECT_TRUE(at(0).lost().empty() && at(1).lost().empty());
  }
}

TEST_F(verbs_pairs, without_any_large_messages_go_through_slots) {
  for (const peer_id poor : {0u, 1u}) {
    begin(2);
    meet(0, 1);
    cards[poor]->most_reliable = 1;
    start(0, 1);
    start(1, 0);
    finish();
    EXPECT_EQ(count(0, "verbs.bulk_pairs") + count(1, "verbs.bulk_pairs"), 0u);
    EXPECT_EQ(count(0, "verbs.staged_bytes"), large);
    EXPECT_EQ(count(1, "verbs.staged_bytes"), large);
    EXPECT_TRUE(at(0).lost().empty() && at(1).lost().empty());
  }
}

/// Each change of a queue pair's state fails once.
TEST_F(verbs_pairs, a_queue_pair_that_does_not_become_ready_is_done_without) {
  for (const peer_id poor : {0u, 1u})
    for (std::size_t refused = 1; refused < 8; ++refused) {
      verbs_options options;
      options.set.qps = 2;
      begin(2, options);
      meet(0, 1);
      cards[poor]->refused_transitions = refused;
      start(0, 1);
      finish();
      cards[poor]->refused_transitions = 0;
      start(1, 0);
      start(0, 1);
      finish();
      EXPECT_EQ(count(0, "verbs.bulk_pairs"), count(1, "verbs.bulk_pairs"));
      EXPECT_TRUE(at(0).lost().empty() && at(1).lost().empty());
    }
}

TEST_F(verbs_pairs, a_peer_that_fails_meanwhile_takes_what_waits_along) {
  for (const int turns : {0, 1, 2, 3})
    for (const peer_id survivor : {0u, 1u}) {
      begin(2);
      meet(0, 1);
      start(0, 1);
      start(1, 0);
      poll(turns);
      at(survivor).peer_failed(1 - survivor);
      const tracked_fetch& its = *fetches[survivor]->fetching;
      EXPECT_EQ(its.calls, 1);
      EXPECT_TRUE(until([&] { at(survivor).poll(); }, [&] { return pairs(survivor) == 0; }));
      ends.clear();
      fetches.clear();
    }
}

TEST_F(verbs_pairs, a_connection_of_which_they_are_ends_like_others) {
  verbs_options options;
  options.set.max_rc = 1;
  options.set.promote = 1;
  begin(3, options);
  for (int round = 0; round < 4; ++round)
    for (const peer_id from : {1u, 2u}) {
      start(0, from);
      finish();
    }
  EXPECT_GE(count(0, "verbs.demotions"), 3u);
  EXPECT_TRUE(wait([&] { return pairs(0) <= 2; }));
}

}  // namespace
