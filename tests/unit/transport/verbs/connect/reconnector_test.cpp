// Connections that break while both processes live, on cards of this process's own: nothing is lost
// or doubled, whatever is under way, and whichever packet of the new handshake is lost.
#include "transport/verbs/connect/reconnector.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "peal/error.hpp"
#include "transport/verbs/wire.hpp"
#include "unit/transport/verbs/connect/random_traffic.hpp"

namespace {

using namespace peal;
using namespace peal::test;

using verbs_reconnection = verbs_traffic;

/// Requests and replies are as long as the packets of a connection, acknowledgements are not.
constexpr std::size_t longest_short = 512;

TEST_F(verbs_reconnection, an_outage_beyond_the_retries_loses_and_doubles_nothing) {
  for (const char* how : {"read", "write", "both"}) {
    verbs_options settings = hasty();
    settings.set.rendezvous = rendezvous_named(how);
    start(settings);
    for (int round = 0; round < 12; ++round) {
      for (int left = 200; left > 0; --left) turn();
      const std::uint64_t before = broken();
      cards[random() % 2]->cut = true;
      ASSERT_TRUE(until([&] { turn(); }, [&] { return broken() > before; }));
      for (unsigned left = static_cast<unsigned>(random() % 300); left > 0; --left) turn();
      cards[0]->cut = cards[1]->cut = false;
      ASSERT_TRUE(quiet());
      poll(1000);  // until the failure is over, so that the next one is counted
    }
    finish();
    EXPECT_GE(count(0, "verbs.reconnections"), 12u);
    EXPECT_GT(count(0, "verbs.packets_again") + count(1, "verbs.packets_again"), 0u);
  }
}

/// It uses a credit, and says nothing that the next handshake does not say.
TEST_F(verbs_reconnection, counts_an_empty_packet_that_got_lost) {
  start(hasty());
  for (int round = 0; round < 6; ++round) {
    for (int left = 100; left > 0; --left) turn();
    ASSERT_TRUE(quiet());
    poll(1000);
    const std::uint64_t before = broken();
    cards[1]->cut = true;
    for (peer_id each = 0; each < 2; ++each) at(each).set_wants_eager(round % 2 != 0);
    ASSERT_TRUE(until([&] { poll(1); }, [&] { return broken() > before; }));
    cards[1]->cut = false;
    ASSERT_TRUE(quiet());
  }
  for (int left = 200; left > 0; --left) turn();
  finish();
  EXPECT_GE(count(0, "verbs.reconnections"), 6u);
}

TEST_F(verbs_reconnection, goes_on_wherever_in_the_traffic_it_breaks) {
  for (const bool srq : {true, false})
    for (const peer_id breaks : {0u, 1u}) {
      verbs_options settings = hasty();
      settings.set.srq = srq;
      start(settings);
      for (int round = 0; round < 40; ++round) {
        for (unsigned left = static_cast<unsigned>(random() % 50); left > 0; --left) turn();
        at(breaks).break_connection(1 - breaks);
        if (round % 3 == 0) at(1 - breaks).break_connection(breaks);
        for (unsigned left = static_cast<unsigned>(random() % 50); left > 0; --left) turn();
      }
      finish();
      EXPECT_GT(count(breaks, "verbs.reconnections"), 0u);
    }
}

/// Slots, queue pairs and receives are as many as before.
TEST_F(verbs_reconnection, leaves_nothing_behind) {
  verbs_options settings = hasty();
  settings.set.qps = 2;  // a number that no trial changes
  start(settings);
  for (int left = 200; left > 0; --left) turn();
  finish();
  const std::size_t pairs = cards[0]->count(IBV_QPT_RC), slots = count(0, "verbs.slots");
  for (int round = 0; round < 30; ++round) {
    for (int left = 40; left > 0; --left) turn();
    at(round % 2).break_connection(1 - round % 2);
    for (int left = 40; left > 0; --left) turn();
    finish();
    ASSERT_TRUE(quiet());
  }
  EXPECT_EQ(cards[0]->count(IBV_QPT_RC), pairs);
  EXPECT_EQ(cards[1]->count(IBV_QPT_RC), pairs);
  EXPECT_LE(count(0, "verbs.slots"), slots + 64);
  EXPECT_TRUE(wait([&] {
    return count(0, "verbs.slots_free") + cards[0]->shared_receives() + 48 >=
           count(0, "verbs.slots");
  })) << count(0, "verbs.slots") - count(0, "verbs.slots_free") - cards[0]->shared_receives()
      << " slots have gone";
}

/// Every packet of the handshake in turn, and all of a kind for some time.
TEST_F(verbs_reconnection, survives_the_loss_of_any_packet_of_its_handshake) {
  for (const peer_id breaks : {0u, 1u})
    for (unsigned lost = 0; lost < 8; ++lost) {
      start(hasty());
      for (int left = 50; left > 0; --left) turn();
      unsigned seen = 0;
      for (verbs_double::card* each : cards)
        each->copies = [&](const std::byte*, std::size_t) { return seen++ == lost ? 0u : 1u; };
      at(breaks).break_connection(1 - breaks);
      for (int left = 50; left > 0; --left) turn();
      finish();
      ASSERT_TRUE(quiet());
      for (verbs_double::card* each : cards) each->copies = {};
    }
}

/// One side has opened it and lost it again before the other one has heard of that.
TEST_F(verbs_reconnection, a_connection_that_breaks_before_its_first_message_goes_on) {
  for (const peer_id from : {0u, 1u}) {
    for (way& each : ways) each = {};
    begin(2, hasty());
    // The acknowledgement, which is short, and all after it are lost.
    for (verbs_double::card* each : cards)
      each->copies = [&](const std::byte*, std::size_t bytes) {
        if (bytes <= longest_short) cards[0]->cut = true;
        return cards[0]->cut ? 0u : 1u;
      };
    EXPECT_TRUE(wait([&] {
      send_some(from);
      return count(from, "verbs.interruptions") > 0;
    }));
    for (verbs_double::card* each : cards) each->copies = {};
    cards[0]->cut = false;
    for (int left = 50; left > 0; --left) turn();
    finish();
  }
}

/// One side has opened it and makes it again. The other one has heard neither of that, and says its
/// answer to the first request once more, which is none to the new one.
TEST_F(verbs_reconnection, an_answer_to_what_was_asked_before_ends_nothing) {
  for (const peer_id from : {0u, 1u}) {
    for (way& each : ways) each = {};
    begin(2, hasty());
    verbs_double::card &asks = *cards[from], &answers = *cards[1 - from];
    unsigned requests = 0, answers_since = 0, others_since = 0;
    answers.copies = [&](const std::byte*, std::size_t bytes) {
      const bool is_short = bytes <= longest_short;
      others_since += is_short && count(from, "verbs.interruptions") > 0;
      return is_short || requests++ == 0 ? 1u : 0u;
    };
    asks.copies = [&](const std::byte*, std::size_t) {
      if (count(from, "verbs.interruptions") > 0) ++answers_since;
      else answers.cut = true;  // behind the first answer
      return 1u;
    };
    EXPECT_TRUE(wait([&] {
      send_some(from);
      if (count(from, "verbs.interruptions") > 0) answers.cut = false;
      return requests > 1 && (answers_since >= 3 || others_since > 0);
    }));
    poll(100);
    for (verbs_double::card* each : cards) each->copies = {};
    EXPECT_TRUE(quiet());
    for (int left = 50; left > 0; --left) turn();
    finish();
    if (HasFailure()) return;
  }
}

/// Who asked first has no answer yet when the other one makes it again.
TEST_F(verbs_reconnection, one_that_breaks_before_its_answer_comes_goes_on) {
  for (const peer_id from : {0u, 1u}) {
    for (way& each : ways) each = {};
    begin_apart(2, {{.network = 1}, {.network = 2}}, hasty());
    unsigned answers = 0;
    for (const std::size_t each : {0u, 1u})
      card_of(from, each).copies = [&](const std::byte*, std::size_t) {
        ++answers;
        return 0u;
      };
    EXPECT_TRUE(wait([&] {
      send_some(from);
      return answers > 0;
    }));
    card_of(1 - from, 0).die();
    EXPECT_TRUE(wait([&] { return count(1 - from, "verbs.interruptions") > 0; }));
    for (const std::size_t each : {0u, 1u}) card_of(from, each).copies = {};
    for (int left = 2000; left > 0; --left) turn();
    finish();
    if (HasFailure()) return;
  }
}

TEST_F(verbs_reconnection, survives_packets_that_come_twice_and_late) {
  start(hasty());
  for (int round = 0; round < 20; ++round) {
    for (verbs_double::card* each : cards) {
      each->copies = [](const std::byte*, std::size_t) { return 2u; };
      each->late_datagrams = random() % 3;
    }
    for (int left = 30; left > 0; --left) turn();
    at(random() % 2).break_connection(0);
    at(0).break_connection(1);
    for (int left = 30; left > 0; --left) turn();
    for (verbs_double::card* each : cards) each->release_datagrams();
    for (int left = 30; left > 0; --left) turn();
  }
  for (verbs_double::card* each : cards) each->late_datagrams = 0, each->copies = {};
  finish();
}

/// The handshake of the reconnection itself meets the next outage.
TEST_F(verbs_reconnection, breaks_again_while_it_is_made_again) {
  start(hasty());
  for (int round = 0; round < 30; ++round) {
    for (int left = 30; left > 0; --left) turn();
    at(0).break_connection(1);
    const unsigned turns = static_cast<unsigned>(random() % 3000);
    for (unsigned left = turns; left > 0; --left) poll();
    at(round % 2).break_connection(1 - round % 2);
  }
  finish();
}

/// A request that the other side does not allow is refused again each time.
TEST_F(verbs_reconnection, is_not_for_what_would_fail_again) {
  start(hasty());
  const auto source = pattern(300'000, 1);
  std::vector<std::byte> target(source.size());
  remote_region where = at(1).expose(0, source.data(), source.size());
  where.words[1] ^= 0x5555;  // its key
  tracked_fetch fetching{1, where, target.data(), target.size()};
  at(0).start_fetch(fetching);
  std::vector<peer_id> lost;
  EXPECT_TRUE(wait([&] { return !(lost = at(0).lost()).empty(); }));
  EXPECT_EQ(lost, std::vector<peer_id>{1});
  at(0).peer_failed(1);
  EXPECT_EQ(fetching.error, errc::peer_failed);
}

TEST_F(verbs_reconnection, one_that_leaves_sees_to_it_that_all_has_arrived) {
  start(hasty());
  ASSERT_TRUE(at(0).send(1, message(8, 0), "12345678"));
  ASSERT_TRUE(wait([&] { return got(1).size() == 1; }));
  cards[0]->cut = true;
  for (std::uint32_t each = 1; each < 20; ++each)
    ASSERT_TRUE(at(0).send(1, message(8, each), "12345678"));
  at(0).flush();
  std::atomic<bool> ended{false};
  std::thread other{[&] {
    const auto heals = std::chrono::steady_clock::now() + std::chrono::milliseconds{30};
    while (!ended) {
      if (std::chrono::steady_clock::now() > heals) cards[0]->cut = false;
      at(1).poll();
      std::this_thread::yield();
    }
    for (int left = 100; left > 0; --left) at(1).poll();
  }};
  at(0).leave();
  ended = true;
  other.join();
  EXPECT_EQ(got(1).size(), 20u);
  EXPECT_TRUE(at(1).has_left(0));
  EXPECT_TRUE(at(1).lost().empty());
}

/// What it has sent, and the answers to its new handshake, come over the second card.
TEST_F(verbs_reconnection, one_that_leaves_goes_on_over_the_other_card) {
  verbs_options settings = hasty();
  settings.set.device = "all";
  start(settings);
  ASSERT_TRUE(at(0).send(1, message(8, 0), "12345678"));
  ASSERT_TRUE(wait([&] { return got(1).size() == 1; }));
  cards[0]->cut = true;
  for (std::uint32_t each = 1; each < 20; ++each)
    ASSERT_TRUE(at(0).send(1, message(8, each), "12345678"));
  at(0).flush();
  std::atomic<bool> ended{false};
  std::thread other{[&] {
    while (!ended) {
      at(1).poll();
      std::this_thread::yield();
    }
    for (int left = 100; left > 0; --left) at(1).poll();
  }};
  at(0).leave();
  ended = true;
  other.join();
  EXPECT_EQ(got(1).size(), 20u);
  EXPECT_TRUE(at(1).has_left(0));
}

/// Which connections end for others is agreed upon by packets that the counts do not know.
TEST_F(verbs_reconnection, connections_end_for_others_amid_outages) {
  verbs_options settings = hasty();
  settings.set.max_rc = 1;
  settings.set.promote = 3;
  begin(3, settings);
  std::uint32_t sent[3][3] = {};
  const auto ended = [&] {
    std::uint64_t made = 0;
    for (peer_id each = 0; each < 3; ++each) made += count(each, "verbs.demotions");
    return made;
  };
  for (int round = 0; round < 400 || (ended() < 5 && round < 200'000); ++round) {
    for (peer_id from = 0; from < 3; ++from) {
      // For a while one of the two gets much more, so that it deserves the connection.
      const bool seldom = random() % 16 == 0;
      const peer_id to = (from + 1 + (round / 1000 + seldom) % 2) % 3;
      if (at(from).send(to, message(3000, sent[from][to]), pattern(3000, sent[from][to]).data()))
        ++sent[from][to];
    }
    const auto broken = static_cast<peer_id>(random() % 3);
    if (random() % 16 == 0) at(broken).break_connection((broken + 1) % 3);
    poll(static_cast<int>(random() % 300));
  }
  std::size_t all = 0;
  for (const auto& of : sent)
    for (const std::uint32_t each : of) all += each;
  EXPECT_TRUE(wait([&] { return got(0).size() + got(1).size() + got(2).size() >= all; }))
      << got(0).size() + got(1).size() + got(2).size() << " of " << all;
  std::uint32_t next[3][3] = {};
  for (peer_id to = 0; to < 3; ++to) {
    for (const arrival& each : got(to)) {
      ASSERT_EQ(each.head.context(), next[each.from][to]++) << each.from << " to " << to;
      ASSERT_TRUE(each.payload == pattern(3000, each.head.context()));
    }
    EXPECT_TRUE(at(to).lost().empty());
  }
  EXPECT_GT(count(0, "verbs.reconnections") + count(1, "verbs.reconnections"), 0u);
  EXPECT_GT(ended(), 0u);
}

/// All of it goes on over the address that the port has now.
TEST_F(verbs_reconnection, a_port_with_another_address_keeps_its_connections) {
  start(hasty());
  for (int left = 100; left > 0; --left) turn();
  ibv_gid other{};
  other.raw[10] = other.raw[11] = 0xff;
  other.raw[12] = 127, other.raw[13] = 0, other.raw[14] = 1, other.raw[15] = 77;
  cards[0]->take_down();
  for (int left = 100; left > 0; --left) turn();
  cards[0]->bring_up(1, 0, &other);
  for (int left = 500; left > 0; --left) turn();
  finish();
  EXPECT_GT(count(1, "verbs.reconnections"), 0u);
}

/// Both ends use two cards; the second one carries parts of large messages.
TEST_F(verbs_reconnection, goes_on_over_two_cards) {
  for (const char* how : {"read", "write", "both"}) {
    verbs_options settings = hasty();
    settings.set.device = "all";
    settings.set.rendezvous = rendezvous_named(how);
    start(settings);
    for (int round = 0; round < 20; ++round) {
      for (int left = 60; left > 0; --left) turn();
      const auto breaks = static_cast<peer_id>(random() % 2);
      if (round % 3 == 1) at(breaks).break_rail(1 - breaks, 1);
      else at(breaks).break_connection(1 - breaks);
      for (int left = 60; left > 0; --left) turn();
    }
    finish();
    EXPECT_GT(count(1, "verbs.reconnections"), 0u);
    // Nothing is left that would keep a process from its sleep.
    int idle = 0;
    EXPECT_TRUE(until([&] { idle = at(0).poll() || at(1).poll() ? 0 : idle + 1; },
                      [&] { return idle == 500; }));
  }
}

/// Two cards, of which the first one, with all messages, goes for good.
TEST_F(verbs_reconnection, the_other_card_carries_everything_when_the_first_one_goes) {
  const std::pair<const char*, std::function<void(verbs_double::card&)>> ways_to_go[] = {
      {"cut", [](verbs_double::card& each) { each.cut = true; }},
      {"down", [](verbs_double::card& each) { each.take_down(); }},
      {"dead", [](verbs_double::card& each) { each.die(); }}};
  for (const auto& [name, go] : ways_to_go)
    for (const char* how : {"read", "write", "both"}) {
      SCOPED_TRACE(name);
      verbs_options settings = hasty();
      settings.set.device = "all";
      settings.set.rendezvous = rendezvous_named(how);
      start(settings);
      for (int left = 200; left > 0; --left) turn();
      go(*cards[0]);
      for (int left = 500; left > 0; --left) turn();
      finish();
      if (HasFailure()) return;
      const std::uint64_t before = count(0, "verbs.rail_bytes.double0:1");
      for (int left = 500; left > 0; --left) turn();
      finish();
      EXPECT_EQ(count(0, "verbs.rail_bytes.double0:1"), before);
      EXPECT_EQ(cards[0]->count(IBV_QPT_RC), 0u) << "nothing is left on it";
    }
}

TEST_F(verbs_reconnection, moves_back_when_the_second_card_goes_and_the_first_one_is_back) {
  verbs_options settings = hasty();
  settings.set.device = "all";
  start(settings);
  for (int round = 0; round < 6; ++round) {
    verbs_double::card& gone = *cards[static_cast<std::size_t>(round % 2)];
    for (int left = 100; left > 0; --left) turn();
    gone.take_down();
    for (int left = 300; left > 0; --left) turn();
    finish();
    if (HasFailure()) return;
    gone.bring_up();
  }
  EXPECT_GE(count(0, "verbs.reconnections"), 3u);
}

/// Peers that were never talked to before.
TEST_F(verbs_reconnection, first_connections_are_made_over_the_other_card) {
  verbs_options settings = hasty();
  settings.set.device = "all";
  for (way& each : ways) each = {};
  begin(2, settings);
  cards[0]->cut = true;
  for (int left = 200; left > 0; --left) turn();
  finish();
}

}  // namespace
