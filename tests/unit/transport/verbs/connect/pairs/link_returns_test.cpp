// Links that were left out and come back, on cards of this process's own: two ends with two cards
// each, amid random traffic of which nothing is lost or doubled.
#include "transport/verbs/connect/pairs/link_returns.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "unit/transport/verbs/connect/random_traffic.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_link_returns : public verbs_traffic {
 protected:
  void start_on_two(const verbs_options& settings, bool infiniband = false) {
    for (way& each : ways) each = {};
    begin_apart(
        2, {{.network = 1, .infiniband = infiniband}, {.network = 2, .infiniband = infiniband}},
        settings);
    meet(0, 1);
    for (const peer_id each : {0u, 1u}) got(each).clear();
  }
  static verbs_options soon() {
    verbs_options made = hasty();
    made.until_return = std::chrono::milliseconds{20};
    return made;
  }
  /// Bytes of large messages over the second card of an end.
  std::uint64_t over_second(peer_id of) {
    return count(of, "verbs.rail_bytes." + std::string{card_of(of, 1).device.name} + ":1");
  }
  std::uint64_t left_out(peer_id by) { return count(by, "verbs.rails_left_out"); }
  std::uint64_t back(peer_id of) { return count(of, "verbs.rails_back"); }
  /// Traffic, until this is so.
  template <class Done>
  void talk_until(Done done) {
    ASSERT_TRUE(until([&] { turn(); }, done));
  }
  void talk(int turns) {
    for (; turns > 0 && !HasFailure(); --turns) turn();
  }
  void use_both() {
    const std::uint64_t before[] = {over_second(0), over_second(1)};
    talk_until([&] { return over_second(0) > before[0] && over_second(1) > before[1]; });
  }
};

TEST_F(verbs_link_returns, a_card_that_is_there_again_is_used_again) {
  const struct {
    const char* name;
    std::function<void(verbs_double::card&)> go, come;
  } outages[] = {{"cut", [](verbs_double::card& each) { each.cut = true; },
                  [](verbs_double::card& each) { each.cut = false; }},
                 {"down", [](verbs_double::card& each) { each.take_down(); },
                  [](verbs_double::card& each) { each.bring_up(); }}};
  for (const auto& each : outages)
    for (const peer_id whose : {0u, 1u}) {
      SCOPED_TRACE(each.name);
      start_on_two(soon());
      use_both();
      each.go(card_of(whose, 1));
      talk_until([&] { return left_out(0) > 0 && left_out(1) > 0; });
      EXPECT_EQ(back(0) + back(1), 0u);
      each.come(card_of(whose, 1));
      talk_until([&] { return back(0) > 0 && back(1) > 0; });
      use_both();
      finish();
      if (HasFailure()) return;
      EXPECT_EQ(broken(), 0u) << "messages had another way all the time";
    }
}

/// Messages go over the first cards all the time, so no handshake says where the second ones are.
TEST_F(verbs_link_returns, cards_that_have_other_addresses_are_used_again) {
  start_on_two(soon(), true);
  use_both();
  for (const peer_id each : {0u, 1u})
    card_of(each, 1).bring_up(1, static_cast<std::uint16_t>(77 + each));
  talk_until([&] { return back(0) > 0 && back(1) > 0; });
  use_both();
  finish();
  EXPECT_EQ(broken(), 0u);
}

TEST_F(verbs_link_returns, a_try_in_vain_changes_nothing) {
  verbs_options one_pair = soon();
  one_pair.set.qps = 1;
  start_on_two(one_pair);
  use_both();
  card_of(1, 1).cut = true;
  talk_until([&] { return left_out(0) > 0 && left_out(1) > 0; });
  const std::uint64_t made = count(0, "verbs.bulk_pairs");
  const std::uint64_t before = card_of(0, 1).requests;
  // What leaves through that card now are tries, handshakes apart.
  talk_until([&] { return card_of(0, 1).requests >= before + 2; });
  talk(500);
  finish();
  EXPECT_EQ(back(0) + back(1), 0u);
  EXPECT_EQ(broken(), 0u);
  EXPECT_TRUE(wait([&] { return count(0, "verbs.bulk_pairs") == made; })) << "between two tries";
}

TEST_F(verbs_link_returns, a_card_that_comes_and_goes_loses_nothing) {
  start_on_two(soon());
  for (int round = 0; round < 12 && !HasFailure(); ++round) {
    verbs_double::card& gone = card_of(static_cast<peer_id>(round % 2), round % 3 == 0 ? 0 : 1);
    talk(static_cast<int>(random() % 200));
    gone.cut = true;
    talk(static_cast<int>(random() % 200));
    gone.cut = false;
  }
  finish();
}

TEST_F(verbs_link_returns, one_ends_with_its_connection) {
  start_on_two(soon());
  use_both();
  card_of(1, 1).cut = true;
  talk_until([&] { return left_out(0) > 0 && left_out(1) > 0; });
  for (int round = 0; round < 20 && !HasFailure(); ++round) {
    pass(std::chrono::milliseconds{static_cast<long>(random() % 30)});
    card_of(0, 0).cut = true;
    talk(static_cast<int>(random() % 20));
    card_of(0, 0).cut = card_of(1, 1).cut = false;
    talk(static_cast<int>(random() % 20));
    card_of(1, 1).cut = round % 2 == 0;
  }
  card_of(1, 1).cut = false;
  finish();
  use_both();
  finish();
}

TEST_F(verbs_link_returns, where_payloads_are_written_it_stays_left_out) {
  verbs_options written = soon();
  written.set.rendezvous = rendezvous_named("both");
  written.set.push = 0;
  start_on_two(written);
  use_both();
  card_of(1, 1).cut = true;
  talk_until([&] { return left_out(0) > 0 && left_out(1) > 0; });
  card_of(1, 1).cut = false;
  talk(300);
  pass(std::chrono::milliseconds{100});
  finish();
  EXPECT_EQ(back(0) + back(1), 0u);
}

}  // namespace
