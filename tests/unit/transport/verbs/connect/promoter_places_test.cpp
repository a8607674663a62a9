// More peers than may be connected, all of them used: on cards of this process's own. Rank 0 talks
// to all the others; connections stay where they are, and what the others cost is bounded.
#include <gtest/gtest.h>

#include <set>

#include "unit/transport/verbs/double/ends.hpp"
#include "unit/transport/verbs/double/timeline.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_crowd : public verbs_on_cards {
 protected:
  static constexpr std::uint32_t most = 200;

  void TearDown() override {
    verbs_on_cards::TearDown();
    verbs_double::work_at_once();
  }
  /// Rank 0, and so many peers, of which it may connect `most`.
  void gather(std::uint32_t peers) {
    ends.clear();
    cards.clear();
    verbs_double::remove_cards();
    for (unsigned each = 0; each < 2; ++each) cards.push_back(&verbs_double::add_card(1, each + 1));
    for (peer_id each = 0; each <= peers; ++each) {
      verbs_options settings;
      settings.set.device = cards[each == 0 ? 0 : 1]->device.name;
      settings.set.promote = 4;
      settings.set.max_rc = each == 0 ? most : 8;
      ends.push_back(std::make_unique<end>());
      ends[each]->transport =
          std::make_unique<verbs_transport>(ends[each]->arrivals, here, each, peers + 1, settings);
    }
    meet_all();
  }
  /// A message to each peer, and one back, each with what it should be.
  void round(std::uint32_t number) {
    const auto peers = static_cast<peer_id>(ends.size() - 1);
    for (peer_id each = 1; each <= peers; ++each) {
      const auto data = pattern(64, number * 1000 + each);
      ASSERT_TRUE(send(0, each, message(data.size(), number), data.data()));
    }
    for (peer_id each = 1; each <= peers; ++each) {
      ASSERT_TRUE(wait([&] { return got(each).size() == 1; }));
      ASSERT_EQ(got(each)[0].payload, pattern(64, number * 1000 + each));
      got(each).clear();
      ASSERT_TRUE(send(each, 0, message(64, number), pattern(64, number * 7 + each).data()));
    }
    ASSERT_TRUE(wait([&] { return got(0).size() == peers; }));
    std::set<peer_id> from;
    for (const arrival& each : got(0)) {
      ASSERT_EQ(each.payload, pattern(64, number * 7 + each.from));
      from.insert(each.from);
    }
    ASSERT_EQ(from.size(), peers);
    got(0).clear();
  }
};

TEST_F(verbs_crowd, peers_that_are_used_alike_do_not_change_places) {
  gather(most + most / 10);
  for (std::uint32_t each = 0; each < 12; ++each) ASSERT_NO_FATAL_FAILURE(round(each));
  const std::uint64_t made = count(0, "verbs.promotions");
  EXPECT_GE(made, most * 9 / 10) << "as many as may be are connected";
  // Long enough for each connection to have had its shortest life, and more.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{300};
  std::uint32_t number = 12;
  for (; number < 40 || std::chrono::steady_clock::now() < end; ++number)
    ASSERT_NO_FATAL_FAILURE(round(number));
  EXPECT_LE(count(0, "verbs.promotions"), most + most / 10);
  EXPECT_LE(count(0, "verbs.demotions"), most / 10);
}

TEST_F(verbs_crowd, a_tenth_more_peers_than_connections_costs_what_their_messages_cost) {
  constexpr std::uint32_t rounds = 10;
  std::uint64_t repeated = 0;  // datagrams
  const auto repeats = [&] {
    std::uint64_t found = 0;
    for (peer_id each = 0; each < ends.size(); ++each)
      found += count(each, "verbs.datagrams_repeated");
    return found;
  };
  const auto picoseconds = [&](std::uint32_t peers) {
    gather(peers);
    for (std::uint32_t each = 0; each < 8; ++each) round(each);
    const std::uint64_t before = repeats();
    verbs_double::simulate({});
    for (std::uint32_t each = 8; each < 8 + rounds; ++each) round(each);
    const verbs_double::picoseconds taken = verbs_double::simulated_time();
    verbs_double::work_at_once();
    repeated = repeats() - before;
    return taken;
  };
  const verbs_double::picoseconds a_peer = picoseconds(most) / (rounds * most);
  ASSERT_GT(a_peer, 0);
  constexpr std::uint32_t more = most + most / 10;
  const verbs_double::picoseconds taken = picoseconds(more);
  // The tenth goes as datagrams, which are acknowledged, and repeated by a clock that is none of
  // the card's: the more of them the slower this process is. Each of those has doorbells of its
  // own, and an acknowledgement, and so costs a few times what a message to a connected peer does.
  constexpr std::uint32_t a_repeated = 8;
  EXPECT_LT(taken, a_peer * static_cast<verbs_double::picoseconds>(2 * rounds * more +
                                                                   a_repeated * repeated));
}

TEST_F(verbs_crowd, large_payloads_of_more_peers_than_connections_move_few_connections) {
  constexpr std::uint32_t peers = most + most / 10, rounds = 3;
  constexpr std::size_t bytes = 20'000;
  gather(peers);
  std::vector<std::vector<std::byte>> sources(peers + 1), targets(peers + 1);
  for (peer_id each = 1; each <= peers; ++each) sources[each] = pattern(bytes, each);
  for (std::uint32_t number = 0; number < rounds; ++number) {
    std::vector<std::unique_ptr<tracked_fetch>> fetches;
    for (peer_id each = 1; each <= peers; ++each) {
      targets[each].assign(bytes, std::byte{0});
      fetches.push_back(std::make_unique<tracked_fetch>(
          each, at(each).expose(0, sources[each].data(), bytes), targets[each].data(), bytes));
      at(0).start_fetch(*fetches.back());
    }
    ASSERT_TRUE(wait([&] {
      return std::ranges::all_of(fetches, [](const auto& each) { return each->calls == 1; });
    }));
    for (peer_id each = 1; each <= peers; ++each) {
      ASSERT_FALSE(fetches[each - 1]->error);
      ASSERT_TRUE(targets[each] == sources[each]);
      at(each).withdraw(0, fetches[each - 1]->where);
    }
  }
  EXPECT_LE(count(0, "verbs.demotions"), rounds * 2 * (peers - most));
}

TEST_F(verbs_crowd, connections_are_not_looked_at_for_each_poll) {
  gather(most + most / 10);
  for (std::uint32_t each = 0; each < 12; ++each) ASSERT_NO_FATAL_FAILURE(round(each));
  // One more peer waits for a connection, and none may end: all are within their shortest life, or
  // busy, or the peer does not deserve their place.
  const std::uint64_t before = count(0, "verbs.promotion_looks");
  constexpr std::uint32_t polls = 20'000;
  const auto began = std::chrono::steady_clock::now();
  for (std::uint32_t each = 0; each < polls; ++each) {
    if (each % 100 == 0) (void)at(0).send(most + 5, message(0), nullptr);
    at(0).poll();
  }
  const auto taken = std::chrono::steady_clock::now() - began;
  // A look at all in 20 ms, and eight each millisecond.
  const auto most_looks =
      static_cast<std::uint64_t>(taken / std::chrono::milliseconds{20} + 2) * (most + 1) +
      8 * static_cast<std::uint64_t>(taken / std::chrono::milliseconds{1} + 2);
  EXPECT_LE(count(0, "verbs.promotion_looks") - before, most_looks);
}

}  // namespace
