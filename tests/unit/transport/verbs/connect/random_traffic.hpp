// tests/unit/transport/verbs/connect/random_traffic.hpp
// Random traffic between two ends on cards of this process's own, in both directions, of which
// every byte is looked at: small messages of all sizes, and large ones, half of which are packed on
// their way.
//
// Threads  one drives all.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <list>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "unit/transport/verbs/double/ends.hpp"

namespace peal::test {

class verbs_traffic : public verbs_on_cards {
 protected:
  static verbs_options hasty() {
    verbs_options made;
    made.set.ack_timeout = 0.001;
    made.set.timeout = 60;
    return made;
  }
  void pass(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) poll();
  }
  /// As `wait`. The clock is looked at in some polls only, and on a busy machine each turn may wait
  /// for others: so many polls in each.
  template <class Done>
  [[nodiscard]] bool wait_long(Done done) {
    return until([&] { poll(256); }, done);
  }
  [[nodiscard]] bool quiet() {
    return wait_long([&] {
      for (peer_id each = 0; each < ends.size(); ++each)
        if (count(each, "verbs.reconnections") < count(each, "verbs.interruptions")) return false;
      return true;
    });
  }

  [[nodiscard]] std::uint64_t broken() {
    return count(0, "verbs.interruptions") + count(1, "verbs.interruptions");
  }

  // ---- random traffic in both directions, of which every byte is looked at
  struct large_message {
    std::vector<std::byte> source, target;
    std::unique_ptr<counting_packer> packer;
    remote_region where;
    std::unique_ptr<tracked_fetch> fetching;
  };
  struct way {
    std::uint32_t sent = 0;          // messages; the number of each is its context
    std::uint32_t checked = 0;       // that have come
    std::list<large_message> large;  // in place, since packers point to them
  };
  std::mt19937 random{1};
  way ways[2];  // from end 0 and 1
  bool packs = true;

  [[nodiscard]] static std::size_t size_of(std::uint32_t number) {
    constexpr std::size_t sizes[] = {0, 8, 40, 100, 184, 185, 700, 3000, 8192};
    return sizes[number * 7 % std::size(sizes)];
  }
  void send_some(peer_id from) {
    way& mine = ways[from];
    const std::size_t bytes = size_of(mine.sent);
    if (at(from).send(1 - from, message(bytes, mine.sent), pattern(bytes, mine.sent).data()))
      ++mine.sent;
  }
  void begin_large(peer_id from, std::size_t bytes) {
    begin_large(from, pattern(bytes, bytes + from));
  }
  void begin_large(peer_id from, std::vector<std::byte> content) {
    const std::size_t bytes = content.size();
    large_message& made = ways[from].large.emplace_back();
    made.source = std::move(content);
    made.target.assign(bytes, std::byte{0});
    if (packs && random() % 2 == 0) {
      made.packer = std::make_unique<counting_packer>(made.source);
      made.where = at(from).expose_packed(1 - from, *made.packer, bytes);
    } else {
      made.where = at(from).expose(1 - from, made.source.data(), bytes);
    }
    made.fetching = std::make_unique<tracked_fetch>(from, made.where, made.target.data(), bytes);
    at(1 - from).start_fetch(*made.fetching);
  }
  void check(peer_id from) {
    way& mine = ways[from];
    std::vector<arrival>& its = got(1 - from);
    for (const arrival& each : its) {
      ASSERT_EQ(each.head.context(), mine.checked) << "lost, doubled, or out of order";
      ASSERT_TRUE(each.payload == pattern(size_of(mine.checked), mine.checked)) << mine.checked;
      ++mine.checked;
    }
    its.clear();
    std::erase_if(mine.large, [&](large_message& each) {
      if (each.fetching->calls == 0) return false;
      EXPECT_EQ(each.fetching->calls, 1);
      EXPECT_FALSE(each.fetching->error) << each.fetching->error.message();
      EXPECT_TRUE(each.source == each.target) << "a large message of " << each.source.size();
      EXPECT_TRUE(!each.packer || each.packer->each_once()) << each.source.size();
      at(from).withdraw(1 - from, each.where);
      return true;
    });
  }
  void turn() {
    for (const peer_id from : {0u, 1u}) {
      for (unsigned left = static_cast<unsigned>(random() % 8); left > 0; --left) send_some(from);
      if (random() % 16 == 0 && ways[from].large.size() < 3)
        begin_large(from, 20'000 + random() % 400'000);
      if (random() % 2 == 0) at(from).poll();
      check(from);
    }
  }
  void finish() {
    ASSERT_TRUE(wait_long([&] {
      for (const peer_id from : {0u, 1u}) check(from);
      return ways[0].checked == ways[0].sent && ways[1].checked == ways[1].sent &&
             ways[0].large.empty() && ways[1].large.empty();
    }));
    pass(std::chrono::milliseconds{2});
    for (const peer_id from : {0u, 1u}) {
      EXPECT_TRUE(got(from).empty()) << "something came once more";
      EXPECT_TRUE(at(from).lost().empty());
    }
  }
  void start(verbs_options settings) {
    for (way& each : ways) each = {};
    begin(2, settings);
    meet(0, 1);
    for (const peer_id each : {0u, 1u}) got(each).clear();
  }
};

}  // namespace peal::test
