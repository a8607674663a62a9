// tests/unit/transport/verbs/double/ends.hpp
// Several ends of a job in one process, each on a card of its own (card.hpp), so that a test can
// treat each as it likes.
//
// Threads  one drives all.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unit/transport/ends.hpp"
#include "unit/transport/verbs/double/card.hpp"

namespace peal::test {

class verbs_on_cards : public testing::Test {
 protected:
  struct end {
    recorder arrivals;
    std::unique_ptr<verbs_transport> transport;
  };

  machine here;
  std::vector<verbs_double::card*> cards;
  std::size_t cards_of_each = 1;  // begin_apart
  std::vector<std::unique_ptr<end>> ends;
  std::vector<peer_id> mute;  // tell no address

  void TearDown() override { ends.clear(); }

  /// End k is rank k, on cards[k]; where the settings name devices ("all") all ends use the same
  /// two cards.
  void begin(std::uint32_t count, verbs_options settings = {}) {
    ends.clear();
    cards.clear();
    verbs_double::remove_cards();
    const bool apart = settings.set.device.empty();
    for (unsigned each = 0; each < (apart ? count : 2); ++each)
      cards.push_back(&verbs_double::add_card(apart ? 1 : each + 1, apart ? each + 1 : 1));
    for (peer_id each = 0; each < count; ++each)
      open(apart ? cards[each]->device.name : settings.set.device, count, settings);
    meet_all();
  }
  /// Each end has such cards of its own, in that order: that of end k for the network of plan i is
  /// card_of(k, i).
  void begin_apart(std::uint32_t count, const std::vector<verbs_double::port_plan>& plans,
                   const verbs_options& settings = {}) {
    ends.clear();
    cards.clear();
    verbs_double::remove_cards();
    cards_of_each = plans.size();
    for (unsigned each = 0; each < count; ++each)
      for (verbs_double::port_plan plan : plans) {
        plan.host = each + 1;
        cards.push_back(&verbs_double::add_card({plan}));
      }
    for (peer_id each = 0; each < count; ++each) {
      std::string names;
      for (std::size_t plan = 0; plan < plans.size(); ++plan)
        names += (plan > 0 ? "," : "") + std::string{card_of(each, plan).device.name};
      open(names, count, settings);
    }
    meet_all();
  }
  verbs_double::card& card_of(peer_id which, std::size_t plan) {
    return *cards[which * cards_of_each + plan];
  }
  void open(const std::string& devices, std::uint32_t count, verbs_options settings) {
    settings.set.device = devices;
    const auto self = static_cast<peer_id>(ends.size());
    ends.push_back(std::make_unique<end>());
    ends[self]->transport =
        std::make_unique<verbs_transport>(ends[self]->arrivals, here, self, count, settings);
  }
  void meet_all() {
    std::vector<std::string> addresses;
    for (peer_id each = 0; each < ends.size(); ++each)
      addresses.push_back(std::ranges::find(mute, each) == mute.end() ? at(each).address()
                                                                      : std::string{});
    for (const auto& each : ends) each->transport->meet(addresses);
  }

  static envelope message(std::size_t bytes, std::uint32_t number = 0) {
    return envelope::make(number, 1, 2, envelope_kind::eager, bytes);
  }
  verbs_transport& at(peer_id which) { return *ends[which]->transport; }
  std::vector<arrival>& got(peer_id which) { return ends[which]->arrivals.got; }
  std::uint64_t count(peer_id of, std::string_view name) {
    std::vector<counter> all;
    at(of).report(all);
    const auto found = std::ranges::find(all, name, &counter::name);
    return found == all.end() ? 0 : found->value;
  }
  void poll() {
    for (const auto& each : ends)
      if (each->transport) each->transport->poll();
  }
  void poll(int turns) {
    for (; turns > 0; --turns) poll();
  }
  template <class Done>
  [[nodiscard]] bool wait(Done done) {
    return until([&] { poll(); }, done);
  }
  [[nodiscard]] bool send(peer_id from, peer_id to, envelope e, const void* payload = nullptr) {
    return wait([&] { return at(from).send(to, e, payload); });
  }
  /// A message each way between these two, and quiet afterwards.
  void meet(peer_id one, peer_id other) {
    const std::size_t before[2] = {got(one).size(), got(other).size()};
    ASSERT_TRUE(send(one, other, message(0)));
    ASSERT_TRUE(send(other, one, message(0)));
    ASSERT_TRUE(wait([&] { return got(one).size() > before[0] && got(other).size() > before[1]; }));
    poll(20);
  }
};

}  // namespace peal::test
