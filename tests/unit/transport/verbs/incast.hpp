// unit/transport/verbs/incast.hpp
// A thousand peers of one rank, each an end of its own in this process, on cards of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/page.hpp"
#include "unit/transport/ends.hpp"
#include "unit/transport/verbs/double/card.hpp"
#include "unit/transport/verbs/double/objects.hpp"
#include "unit/transport/verbs/double/timeline.hpp"

namespace peal::test {

/// Counts, and looks whether messages come in order and whole.
struct checking final : sink {
  explicit checking(std::size_t peers) : next(peers) {}
  void arrived(peer_id from, envelope head, const std::byte* payload) noexcept override {
    wrong += head.context() != next[from]++;
    for (std::size_t each = 0; each < head.bytes(); each += 64)
      wrong += payload[each] != static_cast<std::byte>(head.context() + from);
    ++count;
  }
  std::vector<std::uint32_t> next;
  std::size_t count = 0, wrong = 0;
};

class verbs_incast : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 1000;

  std::size_t ranks_a_card = 128;

  machine here;
  std::vector<verbs_double::card*> cards;  // the first is rank 0's
  std::vector<std::unique_ptr<checking>> sinks;
  std::vector<std::unique_ptr<verbs_transport>> ends;
  std::vector<std::uint32_t> sent;

  void TearDown() override {
    verbs_double::work_at_once();
    ends.clear();
    verbs_double::remove_cards();
  }
  /// Peers have little to do, and so little memory.
  void begin(std::uint32_t count, const verbs_options& of_first = {}, verbs_options light = {}) {
    verbs_double::remove_cards();
    for (unsigned each = 0; each <= (count - 2) / ranks_a_card + 1; ++each) {
      cards.push_back(&verbs_double::add_card(1, each + 1));
      cards.back()->limits.max_srq = 128;
      cards.back()->limits.max_cqe = 4'194'303;  // as ConnectX has
    }
    sent.assign(count, 0);
    light.send_depth = 16;
    light.window = 8;
    std::vector<std::string> addresses;
    for (peer_id each = 0; each < count; ++each) {
      verbs_options its = each == 0 ? of_first : light;
      its.set.device = cards[each == 0 ? 0 : 1 + (each - 1) / ranks_a_card]->device.name;
      its.set.push = 0;
      sinks.push_back(std::make_unique<checking>(count));
      ends.push_back(std::make_unique<verbs_transport>(*sinks.back(), here, each, count, its));
      addresses.push_back(ends.back()->address());
    }
    for (const auto& each : ends) each->meet(addresses);
  }
  std::uint64_t count(peer_id of, std::string_view name) {
    std::vector<counter> all;
    ends[of]->report(all);
    const auto found = std::ranges::find(all, name, &counter::name);
    EXPECT_NE(found, all.end()) << name;
    return found == all.end() ? 0 : found->value;
  }
  [[nodiscard]] bool try_to_send(peer_id from) {
    const std::vector<std::byte> payload(bytes, static_cast<std::byte>(sent[from] + from));
    if (!ends[from]->send(0, message(bytes, sent[from]), payload.data())) return false;
    ++sent[from];
    return true;
  }
  std::size_t sent_in_all() const {
    std::size_t all = 0;
    for (const std::uint32_t each : sent) all += each;
    return all;
  }
  void poll_senders(peer_id first, peer_id end) {
    for (peer_id each = first; each < end; ++each) ends[each]->poll();
  }
  /// Rank 0 has queue pairs for large messages of these.
  void pair_up(peer_id first, peer_id end) {
    const std::vector<std::byte> source = pattern(page, 1);
    std::vector<std::byte> target(page);
    for (peer_id each = first; each < end; ++each) {
      tracked_fetch fetching{each, ends[each]->expose(0, source.data(), page), target.data(), page};
      ends[0]->start_fetch(fetching);
      ASSERT_TRUE(
          until([&] { ends[each]->poll(), ends[0]->poll(); }, [&] { return fetching.calls == 1; }));
      ends[each]->withdraw(0, fetching.where);
    }
    for (int turn = 0; turn < 4; ++turn) {
      poll_senders(first, end);
      ends[0]->poll();
    }
  }
  struct large_messages {
    std::vector<std::byte> source;
    std::vector<std::vector<std::byte>> targets;  // of each fetch
    std::vector<std::unique_ptr<tracked_fetch>> fetches;
  };
  /// One of each of the first peers to rank 0, all with the same bytes; none has begun.
  [[nodiscard]] large_messages large_of_each(peer_id peers, std::size_t bytes_of_each) {
    large_messages made{pattern(bytes_of_each, 3), {}, {}};
    for (peer_id each = 1; each <= peers; ++each) {
      made.targets.emplace_back(bytes_of_each);
      made.fetches.push_back(std::make_unique<tracked_fetch>(
          each, ends[each]->expose(0, made.source.data(), bytes_of_each),
          made.targets.back().data(), bytes_of_each));
    }
    return made;
  }
  /// These have a connection, and all that they have sent is here.
  void connect(peer_id first, peer_id end) {
    for (peer_id each = first; each < end; ++each)
      ASSERT_TRUE(
          until([&] { ends[each]->poll(), ends[0]->poll(); }, [&] { return try_to_send(each); }));
    ASSERT_TRUE(until(
        [&] {
          poll_senders(first, end);
          ends[0]->poll();
        },
        [&] { return sinks[0]->count == sent_in_all(); }));
    for (int turn = 0; turn < 4; ++turn) {
      poll_senders(first, end);
      ends[0]->poll();
    }
  }
  /// So many messages of this peer leave while rank 0 does not look.
  std::uint32_t burst(peer_id from, std::uint32_t most = 1000) {
    const std::uint32_t before = sent[from];
    while (sent[from] - before < most) {
      const bool taken = try_to_send(from);
      ends[from]->poll();
      if (!taken && !try_to_send(from)) break;
    }
    ends[from]->poll();
    return sent[from] - before;
  }
  void take_all(peer_id end) {
    ASSERT_TRUE(until(
        [&] {
          while (ends[0]->poll()) {
          }
          poll_senders(1, end);
        },
        [&] { return sinks[0]->count == sent_in_all(); }));
  }
};

}  // namespace peal::test
