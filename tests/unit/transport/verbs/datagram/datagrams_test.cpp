// Peers without a connection, on cards of this process's own, where ends have two cards: whatever
// becomes of one of them, nothing is lost or doubled.
#include "transport/verbs/datagram/datagrams.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/transport/verbs/connect/random_traffic.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_datagrams : public verbs_traffic {
 protected:
  static verbs_options without_connections() {
    verbs_options made = hasty();
    made.set.promote = 1'000'000'000;
    return made;
  }
  void start_on(const std::vector<verbs_double::port_plan>& plans,
                const verbs_options& settings = without_connections()) {
    for (way& each : ways) each = {};
    begin_apart(2, plans, settings);
    meet(0, 1);
    for (const peer_id each : {0u, 1u}) got(each).clear();
  }
  /// Small messages in both directions.
  void talk(int turns) {
    for (; turns > 0; --turns)
      for (const peer_id from : {0u, 1u}) {
        for (unsigned left = static_cast<unsigned>(random() % 4); left > 0; --left) send_some(from);
        at(from).poll();
        check(from);
      }
  }
};

const std::vector<verbs_double::port_plan> two_networks{{.network = 1}, {.network = 2}};

struct end_of_a_card {
  const char* name;
  std::function<void(verbs_double::card&)> go;
};
const end_of_a_card ends_of_a_card[] = {
    {"cut", [](verbs_double::card& each) { each.cut = true; }},
    {"down", [](verbs_double::card& each) { each.take_down(); }},
    {"dead", [](verbs_double::card& each) { each.die(); }},
    {"without datagrams", [](verbs_double::card& each) {
       each.refused_transitions = verbs_double::card::no_limit;
       each.break_datagrams(true);
     }}};

TEST_F(verbs_datagrams, go_over_the_second_card_when_the_first_one_goes) {
  for (const end_of_a_card& each : ends_of_a_card)
    for (const peer_id whose : {0u, 1u}) {
      SCOPED_TRACE(each.name);
      start_on(two_networks);
      talk(100);
      each.go(card_of(whose, 0));
      talk(500);
      finish();
      if (HasFailure()) return;
      EXPECT_EQ(count(0, "verbs.connections") + count(1, "verbs.connections"), 0u);
    }
}

/// It sends nothing but acknowledgements, and its peer cannot know that its card has gone.
TEST_F(verbs_datagrams, go_over_the_second_card_to_a_peer_that_only_receives) {
  for (const end_of_a_card& each : ends_of_a_card)
    for (const peer_id whose : {0u, 1u}) {
      SCOPED_TRACE(each.name);
      start_on(two_networks);
      each.go(card_of(whose, 0));
      for (int left = 500; left > 0; --left) {
        send_some(0);
        poll();
        check(0);
      }
      finish();
      if (HasFailure()) return;
    }
}

TEST_F(verbs_datagrams, return_to_the_first_card_when_the_second_one_goes) {
  start_on(two_networks);
  for (int round = 0; round < 6; ++round) {
    verbs_double::card& gone = card_of(static_cast<peer_id>(round / 2 % 2), round % 2);
    talk(50);
    gone.cut = true;
    talk(300);
    finish();
    if (HasFailure()) return;
    gone.cut = false;
  }
}

/// What follows costs no more than before: it is not repeated until it finds the way.
TEST_F(verbs_datagrams, stay_on_the_card_that_leads_to_the_peer) {
  start_on(two_networks);
  card_of(1, 0).cut = true;
  talk(300);
  finish();
  const std::uint64_t before = count(0, "verbs.datagrams_repeated");
  for (int left = 500; left > 0; --left) {
    send_some(0);
    poll();
    check(0);
  }
  finish();
  EXPECT_LE(count(0, "verbs.datagrams_repeated"), before + 5);
}

/// They cut packets alike, whichever card carries them.
TEST_F(verbs_datagrams, fit_a_second_card_of_shorter_packets) {
  start_on({{.network = 1}, {.network = 2, .mtu = IBV_MTU_1024}});
  talk(100);
  card_of(0, 0).cut = true;
  talk(300);
  finish();
}

/// For a large message there must be a connection, which begins on the second card.
TEST_F(verbs_datagrams, leave_large_messages_to_a_connection_over_the_second_card) {
  for (const end_of_a_card& each : ends_of_a_card)
    for (const peer_id whose : {0u, 1u}) {
      SCOPED_TRACE(each.name);
      start_on(two_networks);
      if (each.name == std::string_view{"without datagrams"}) continue;  // nor anything else
      each.go(card_of(whose, 0));
      for (int left = 200; left > 0; --left) turn();
      finish();
      if (HasFailure()) return;
    }
}

// ---- addresses that change

/// Who has never heard of an end knows where it was at the start.
TEST_F(verbs_datagrams, find_an_end_whose_port_had_another_address_before_they_met) {
  for (const bool connected : {false, true})
    for (const peer_id first : {0u, 1u}) {
      for (way& each : ways) each = {};
      verbs_options settings = connected ? hasty() : without_connections();
      begin_apart(2, {{.network = 1}}, settings);
      const ibv_gid other = verbs_double::gid_of({.network = 1, .host = 77});
      card_of(1, 0).bring_up(1, 0, &other);
      pass(std::chrono::milliseconds{50});
      send_some(first);
      ASSERT_TRUE(wait_long([&] {
        check(first);
        return ways[first].checked == ways[first].sent;
      }));
      if (connected)
        for (int left = 100; left > 0; --left) turn();
      else talk(100);
      finish();
      if (HasFailure()) return;
    }
}

/// That an end has another address is in no datagram.
TEST_F(verbs_datagrams, go_on_when_a_port_has_another_address) {
  for (const bool infiniband : {true, false})
    for (const peer_id whose : {0u, 1u}) {
      start_on({{.network = 1, .infiniband = infiniband}});
      talk(100);
      const ibv_gid other = verbs_double::gid_of({.network = 1, .host = 77});
      card_of(whose, 0).take_down();
      talk(20);
      card_of(whose, 0).bring_up(1, infiniband ? 77 : 0, infiniband ? nullptr : &other);
      talk(300);
      finish();
      if (HasFailure()) return;
    }
}

/// It has nothing to send, and its peer looks for it where it was.
TEST_F(verbs_datagrams, reach_a_peer_that_only_receives_at_its_other_address) {
  verbs_options settings = without_connections();
  settings.set.timeout = 0.2;  // for it to look at what its device tells
  start_on({{.network = 1, .infiniband = true}}, settings);
  card_of(1, 0).bring_up(1, 77);
  for (int left = 200; left > 0; --left) {
    send_some(0);
    poll();
    check(0);
  }
  finish();
}

/// Each tells it to where the other one was; on their second cards they meet.
TEST_F(verbs_datagrams, go_on_when_both_ends_have_other_addresses_at_the_same_moment) {
  for (const bool connected : {false, true}) {
    start_on({{.network = 1, .infiniband = true}, {.network = 2, .infiniband = true}},
             connected ? hasty() : without_connections());
    talk(100);
    for (const peer_id each : {0u, 1u})
      card_of(each, 0).bring_up(1, static_cast<std::uint16_t>(77 + each));
    talk(300);
    finish();
    if (HasFailure()) return;
  }
}

/// With one card neither can find the other one.
TEST_F(verbs_datagrams, give_up_when_nothing_leads_to_the_other_address) {
  for (const bool connected : {false, true}) {
    verbs_options settings = connected ? hasty() : without_connections();
    settings.set.timeout = 0.1;
    start_on({{.network = 1, .infiniband = true}}, settings);
    for (const peer_id each : {0u, 1u})
      card_of(each, 0).bring_up(1, static_cast<std::uint16_t>(77 + each));
    ASSERT_TRUE(at(0).send(1, message(8, 0), "12345678"));
    std::vector<peer_id> lost[2];
    EXPECT_TRUE(until([&] { poll(256); },
                      [&] {
                        for (const peer_id each : {0u, 1u})
                          for (const peer_id gone : at(each).lost()) lost[each].push_back(gone);
                        return !lost[0].empty() && !lost[1].empty();
                      }));
    EXPECT_EQ(lost[0], std::vector<peer_id>{1});
    EXPECT_EQ(lost[1], std::vector<peer_id>{0});
  }
}

}  // namespace
