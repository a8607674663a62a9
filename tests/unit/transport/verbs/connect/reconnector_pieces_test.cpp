// Buffers that are registered piece by piece over connections that break meanwhile, on cards of
// this process's own: what was read is right, and nothing is registered twice, or stays so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/page.hpp"
#include "peal/error.hpp"
#include "transport/verbs/bulk/pieces/pieces.hpp"
#include "transport/verbs/connect/reconnector.hpp"
#include "unit/transport/verbs/connect/random_traffic.hpp"
#include "unit/transport/verbs/double/objects.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_reconnected_pieces : public verbs_traffic {
 protected:
  static constexpr std::size_t bytes = std::size_t{20} << 20;

  /// Nothing stays registered without a user.
  static verbs_options over(std::size_t pairs, const char* devices) {
    verbs_options made = hasty();
    made.set.qps = pairs;
    made.set.device = devices;
    made.set.rendezvous = rendezvous_mode::read;
    made.set.push = 0;
    made.set.registration_cache = false;
    return made;
  }
  /// Regions that are longer than those for messages.
  static std::size_t long_regions() {
    const verbs_double::lock hold{verbs_double::guard()};
    return static_cast<std::size_t>(
        std::ranges::count_if(verbs_double::everything().regions,
                              [](const auto* each) { return each->base.length > (1 << 20); }));
  }
  static std::uint64_t pieces_in(const std::vector<std::byte>& of) {
    return peal::verbs::pieces{reinterpret_cast<std::uintptr_t>(of.data())}.of((of.size() - 1) /
                                                                               page * page) +
           1;
  }
  void begin_long(peer_id from) {
    const auto first = content.begin() + static_cast<std::ptrdiff_t>(random() % 4096);
    begin_large(from, {first, first + static_cast<std::ptrdiff_t>(bytes + random() % 50'000)});
    expected[from] += pieces_in(ways[from].large.back().source);
    expected[1 - from] += pieces_in(ways[from].large.back().target);
  }
  /// Small messages in both directions meanwhile.
  void turns(std::uint64_t left) {
    for (; left > 0; --left)
      for (const peer_id each : {0u, 1u}) {
        if (random() % 2 == 0) send_some(each);
        if (random() % 2 == 0) at(each).poll();
        check(each);
      }
  }
  std::uint64_t left_out() {
    return count(0, "verbs.rails_left_out") + count(1, "verbs.rails_left_out");
  }
  /// Until its retries are over, and then no longer. Nobody notices where nothing goes over it.
  void cut(std::size_t which) {
    const std::uint64_t before = broken() + left_out();
    cards[which]->cut = true;
    for (int left = 20'000; left > 0 && broken() + left_out() == before; --left)
      send_some(0), send_some(1), poll();
    cards[which]->cut = false;
  }
  void break_it() {
    const auto by = static_cast<peer_id>(random() % 2);
    switch (random() % 4) {
      case 0: return cut(by);
      case 1: at(by).break_connection(1 - by), at(1 - by).break_connection(by); return;
      case 2: at(by).break_rail(1 - by, 1); return;
      default: at(by).break_connection(1 - by);
    }
  }
  /// Some of them complete, and some of them not.
  void break_amid(int times) {
    for (; times > 0; --times) {
      turns(random() % 30);
      break_it();
      if (random() % 2 == 0) continue;
      ASSERT_TRUE(quiet());
      poll(1000);  // until the failure is over, so that the next one is counted
    }
  }

  void SetUp() override { packs = false; }

  std::vector<std::byte> content = pattern(bytes + (1 << 16), 1);
  std::uint64_t expected[2] = {0, 0};  // registrations
};

TEST_F(verbs_reconnected_pieces, come_whole_and_are_registered_once) {
  for (const char* devices : {"", "all"})
    for (const std::size_t pairs : {1u, 4u}) {
      SCOPED_TRACE((*devices ? "two cards, " : "one card, ") + std::to_string(pairs));
      verbs_options settings = over(pairs, devices);
      start(settings);
      std::uint64_t before[2];
      for (const peer_id each : {0u, 1u}) {
        before[each] = count(each, "verbs.registrations");
        expected[each] = 0;
      }
      for (int round = 0; round < 8; ++round) {
        for (const peer_id from : {0u, 1u})
          if (round % 3 != static_cast<int>(from)) begin_long(from);
        break_amid(1 + round % 3);
        if (HasFatalFailure()) return;
        finish();
      }
      ASSERT_TRUE(quiet());
      EXPECT_EQ(long_regions(), 0u);
      for (const peer_id each : {0u, 1u}) {
        EXPECT_EQ(count(each, "verbs.registrations") - before[each], expected[each]);
        EXPECT_EQ(count(each, "verbs.staged_bytes"), 0u);
        EXPECT_EQ(count(each, "verbs.packets_refused"), 0u);
        EXPECT_GT(count(each, "verbs.reconnections"), 0u);
      }
      if (HasFailure()) return;
    }
}

TEST_F(verbs_reconnected_pieces, some_of_which_cannot_be_registered_come_in_messages) {
  for (const char* devices : {"", "all"}) {
    start(over(2, devices));
    for (verbs_double::card* each : cards)
      each->refuses_region = [this](std::size_t length) {
        return length > (1 << 20) && random() % 8 == 0;
      };
    for (int round = 0; round < 6; ++round) {
      begin_long(static_cast<peer_id>(round % 2));
      break_amid(1 + round % 3);
      if (HasFatalFailure()) return;
      finish();
    }
    for (verbs_double::card* each : cards) each->refuses_region = {};
    ASSERT_TRUE(quiet());
    EXPECT_EQ(long_regions(), 0u);
    EXPECT_GT(count(0, "verbs.staged_bytes") + count(1, "verbs.staged_bytes"), 0u);
  }
}

TEST_F(verbs_reconnected_pieces, nothing_is_left_of_a_peer_that_is_given_up_meanwhile) {
  for (const char* devices : {"", "all"})
    for (int round = 0; round < 24; ++round) {
      start(over(2, devices));
      for (const peer_id from : {0u, 1u}) begin_long(from);
      for (auto left = random() % 20; left > 0; --left) at(random() % 2).poll();
      cards[1]->cut = round % 2 == 0;
      if (round % 4 != 0) at(0).break_connection(1);
      // Before it is made again, amid that, and after it.
      for (auto left = random() % 60; left > 0; --left) at(random() % 2).poll();
      for (const peer_id each : {0u, 1u}) at(each).peer_failed(1 - each);
      for (const peer_id from : {0u, 1u}) {
        large_message& its = ways[from].large.front();
        ASSERT_EQ(its.fetching->calls, 1);
        if (its.fetching->error) EXPECT_EQ(its.fetching->error, errc::peer_failed);
        else EXPECT_TRUE(its.source == its.target);
        at(from).withdraw(1 - from, its.where);
      }
      EXPECT_EQ(long_regions(), 0u);
      poll(20);
      EXPECT_EQ(long_regions(), 0u);
      for (const peer_id from : {0u, 1u}) EXPECT_EQ(ways[from].large.front().fetching->calls, 1);
    }
}

}  // namespace
