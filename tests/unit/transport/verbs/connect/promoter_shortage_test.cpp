// What a card, or the kernel, does not give is nobody's failure: messages and large payloads arrive
// whole and in order all the same, on cards of this process's own that run out of one thing each.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "unit/transport/verbs/double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_short : public verbs_on_cards {
 protected:
  static constexpr std::size_t large = 300'000;

  /// Rank k on a card of its own, which `limit` has changed before.
  void begin_with(std::uint32_t count, const std::function<void(verbs_double::card&)>& limit,
                  verbs_options settings = {}) {
    ends.clear();
    cards.clear();
    verbs_double::remove_cards();
    settings.set.timeout = 1000;  // nothing here waits for a silence
    for (peer_id each = 0; each < count; ++each) {
      cards.push_back(&verbs_double::add_card(1, each + 1));
      limit(*cards.back());
    }
    for (peer_id each = 0; each < count; ++each) {
      settings.set.device = cards[each]->device.name;
      ends.push_back(std::make_unique<end>());
      ends[each]->transport =
          std::make_unique<verbs_transport>(ends[each]->arrivals, here, each, count, settings);
    }
    meet_all();
  }
  /// Every rank sends to every other one messages of several lengths, and a large payload.
  void exchange(std::uint32_t seed) {
    constexpr std::size_t lengths[] = {0, 8, 500, 4096, 8000};
    const auto count = static_cast<peer_id>(ends.size());
    struct transfer {
      std::vector<std::byte> source, target;
      std::unique_ptr<tracked_fetch> fetch;
    };
    std::vector<std::unique_ptr<transfer>> transfers;
    const auto value = [&](peer_id from, peer_id to, std::size_t number) {
      return seed * 1000 + from * 100 + to * 10 + number;
    };
    for (peer_id from = 0; from < count; ++from)
      for (peer_id to = 0; to < count; ++to) {
        if (from == to) continue;
        auto made = std::make_unique<transfer>();
        made->source = pattern(large, value(from, to, 9));
        made->target.resize(large);
        made->fetch = std::make_unique<tracked_fetch>(
            from, at(from).expose(to, made->source.data(), large), made->target.data(), large);
        at(to).start_fetch(*made->fetch);
        transfers.push_back(std::move(made));
        for (std::uint32_t each = 0; each < std::size(lengths); ++each)
          ASSERT_TRUE(send(from, to, message(lengths[each], each),
                           pattern(lengths[each], value(from, to, each)).data()));
      }
    ASSERT_TRUE(wait([&] {
      for (const auto& each : transfers)
        if (each->fetch->calls == 0) return false;
      for (peer_id each = 0; each < count; ++each)
        if (got(each).size() < (count - 1) * std::size(lengths)) return false;
      return true;
    }));
    for (const auto& each : transfers) {
      ASSERT_FALSE(each->fetch->error);
      ASSERT_TRUE(each->target == each->source);
    }
    std::size_t next = 0;
    for (peer_id from = 0; from < count; ++from)
      for (peer_id to = 0; to < count; ++to)
        if (from != to) at(from).withdraw(to, transfers[next++]->fetch->where);
    for (peer_id to = 0; to < count; ++to) {
      ASSERT_EQ(got(to).size(), (count - 1) * std::size(lengths));
      std::vector<std::uint32_t> number(count, 0);
      for (const arrival& each : got(to)) {
        const std::uint32_t expected = number[each.from]++;
        ASSERT_EQ(each.head.context(), expected);
        ASSERT_TRUE(each.payload == pattern(lengths[expected], value(each.from, to, expected)));
      }
      got(to).clear();
      ASSERT_TRUE(at(to).lost().empty());
    }
  }
};

TEST_F(verbs_short, completion_queues_that_cannot_grow_cost_connections_only) {
  begin_with(8, [](verbs_double::card& each) { each.resizes = false; });
  for (std::uint32_t each = 0; each < 3; ++each) ASSERT_NO_FATAL_FAILURE(exchange(each));
}

TEST_F(verbs_short, completion_queues_that_are_short_cost_connections_only) {
  begin_with(6, [](verbs_double::card& each) { each.limits.max_cqe = 1023; });
  for (std::uint32_t each = 0; each < 3; ++each) ASSERT_NO_FATAL_FAILURE(exchange(each));
}

TEST_F(verbs_short, the_nth_queue_pair_that_is_refused_costs_connections_only) {
  for (std::size_t most = 2; most <= 9; ++most) {
    begin_with(4, [&](verbs_double::card& each) {
      if (each.ports[0].gids[0].gid.raw[15] == 2) each.most_reliable = most;
    });
    for (std::uint32_t each = 0; each < 2; ++each) ASSERT_NO_FATAL_FAILURE(exchange(each)) << most;
    cards[1]->most_reliable = verbs_double::card::no_limit;
    ASSERT_NO_FATAL_FAILURE(exchange(2)) << most << ": it is given again";
  }
}

TEST_F(verbs_short, without_any_registration_beyond_the_first_connection_all_arrives) {
  bool refuses = false;
  begin_with(4, [&](verbs_double::card& each) {
    each.refuses_region = [&](std::size_t) { return refuses; };
  });
  refuses = true;
  for (std::uint32_t each = 0; each < 2; ++each) ASSERT_NO_FATAL_FAILURE(exchange(each));
  refuses = false;
  ASSERT_NO_FATAL_FAILURE(exchange(2));
}

TEST_F(verbs_short, large_payloads_that_cannot_be_registered_go_through_slots) {
  // Slots come in pieces of another size.
  const auto is_payload = [](std::size_t bytes) { return bytes >= large && bytes < large + 8192; };
  begin_with(3, [&](verbs_double::card& each) { each.refuses_region = is_payload; });
  for (std::uint32_t each = 0; each < 2; ++each) ASSERT_NO_FATAL_FAILURE(exchange(each));
  EXPECT_GT(count(0, "verbs.staged_bytes"), 0u);
}

TEST_F(verbs_short, registrations_that_are_refused_now_and_then_lose_nothing) {
  std::uint32_t asked = 0;
  begin_with(4, [&](verbs_double::card& each) {
    each.refuses_region = [&](std::size_t) { return ++asked % 3 == 0 && asked > 40; };
  });
  for (std::uint32_t each = 0; each < 3; ++each) ASSERT_NO_FATAL_FAILURE(exchange(each));
  EXPECT_GT(asked, 40u);
}

}  // namespace
