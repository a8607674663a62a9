// Several processes' ends on one RDMA device, in one process: messages without connections, and
// connections that come and go. verbs_double_test brings a device of its own;
// tests/lab/devices_test needs a real one, and the lab has it.
#include <gtest/gtest.h>

#include <algorithm>

#include "peal/error.hpp"
#include "unit/transport/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_cold : public testing::Test {
 protected:
  struct end {
    recorder arrivals;
    std::unique_ptr<verbs_transport> transport;
  };
  machine here;
  std::vector<std::unique_ptr<end>> ends;

  static verbs_options cold(std::uint32_t promote = 1'000'000'000) {
    verbs_options made;
    made.set.promote = promote;
    return made;
  }

  void begin(const std::vector<verbs_options>& settings) {
    const auto count = static_cast<std::uint32_t>(settings.size());
    try {
      for (peer_id each = 0; each < count; ++each) {
        ends.push_back(std::make_unique<end>());
        ends[each]->transport = std::make_unique<verbs_transport>(ends[each]->arrivals, here, each,
                                                                  count, settings[each]);
      }
    } catch (const error& problem) {
      ends.clear();
      if (problem.code() != errc::no_device) throw;
      GTEST_SKIP() << no_device_here;
    }
    std::vector<std::string> addresses;
    for (const auto& each : ends) addresses.push_back(each->transport->address());
    for (const auto& each : ends) each->transport->meet(addresses);
  }
  void begin(std::size_t count, const verbs_options& settings) {
    begin(std::vector<verbs_options>(count, settings));
  }

  verbs_transport& at(peer_id which) { return *ends[which]->transport; }
  std::vector<arrival>& got(peer_id which) { return ends[which]->arrivals.got; }
  std::uint64_t count(peer_id of, std::string_view name) {
    std::vector<counter> all;
    at(of).report(all);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const counter& each) { return each.name == name; });
    return found == all.end() ? 0 : found->value;
  }
  void poll() {
    for (const auto& each : ends) each->transport->poll();
  }
  void send(peer_id from, peer_id to, envelope e, const void* payload) {
    ASSERT_TRUE(until([&] { poll(); }, [&] { return at(from).send(to, e, payload); }));
  }
  template <class Done>
  void wait(Done done) {
    ASSERT_TRUE(until([&] { poll(); }, done));
  }
  /// A message each way between all, and quiet afterwards.
  void meet() {
    for (peer_id from = 0; from < ends.size(); ++from)
      for (peer_id to = 0; to < ends.size(); ++to)
        if (from != to) send(from, to, message(0, 0), nullptr);
    for (peer_id each = 0; each < ends.size(); ++each) {
      wait([&] { return got(each).size() + 1 >= ends.size() && at(each).settled(); });
      got(each).clear();
    }
  }
};

TEST_F(verbs_cold, the_packets_of_a_long_message_share_a_doorbell) {
  begin(2, cold());
  if (ends.empty()) return;
  meet();
  at(0).poll();
  const std::uint64_t packets = count(0, "verbs.datagrams"),
                      doorbells = count(0, "verbs.datagram_doorbells");
  const auto data = pattern(8000, 1);
  ASSERT_TRUE(at(0).send(1, message(data.size(), 1), data.data()));
  const std::uint64_t sent = count(0, "verbs.datagrams") - packets;
  EXPECT_GE(sent, 2u) << "longer than an MTU of 4096";
  EXPECT_EQ(count(0, "verbs.datagram_doorbells") - doorbells, (sent + 31) / 32);
  wait([&] { return got(1).size() == 1; });
  EXPECT_EQ(got(1)[0].payload, data);
}

TEST_F(verbs_cold, messages_to_several_peers_share_a_doorbell) {
  begin(4, cold());
  if (ends.empty()) return;
  meet();
  at(0).poll();
  // the first of a turn leaves at once
  for (peer_id to : {1u, 2u, 3u}) ASSERT_TRUE(at(0).send(to, message(8, 1), "12345678"));
  const std::uint64_t packets = count(0, "verbs.datagrams"),
                      doorbells = count(0, "verbs.datagram_doorbells");
  for (peer_id to : {1u, 2u, 3u}) ASSERT_TRUE(at(0).send(to, message(8, 2), "12345678"));
  EXPECT_EQ(count(0, "verbs.datagram_doorbells"), doorbells);
  at(0).flush();
  EXPECT_EQ(count(0, "verbs.datagrams") - packets, 3u);
  EXPECT_EQ(count(0, "verbs.datagram_doorbells") - doorbells, 1u);
  for (peer_id to : {1u, 2u, 3u}) wait([&] { return got(to).size() == 2; });
}

TEST_F(verbs_cold, chains_longer_than_the_memory_of_the_port_lose_nothing) {
  begin(2, cold());
  if (ends.empty()) return;
  meet();
  constexpr std::uint32_t many = 400;
  for (std::uint32_t each = 0; each < many; ++each) {
    const auto data = pattern(each * 20, each);
    send(0, 1, message(data.size(), each), data.data());
  }
  wait([&] { return got(1).size() == many; });
  for (std::uint32_t each = 0; each < many; ++each) {
    ASSERT_EQ(got(1)[each].head.context(), each);
    ASSERT_EQ(got(1)[each].payload, pattern(each * 20, each));
  }
}

TEST_F(verbs_cold, what_only_some_were_told_holds_for_all) {
  // The first would have a connection at the first message, and memory for handshakes only.
  std::vector<verbs_options> unequal{{}, cold(), cold(4)};
  unequal[0].set.max_rc = 1;
  unequal[1].window = 8;
  unequal[2].set.rendezvous = rendezvous_mode::write;
  begin(unequal);
  if (ends.empty()) return;
  constexpr std::uint32_t many = 60;
  for (std::uint32_t each = 0; each < many; ++each)
    for (peer_id from : {0u, 1u, 2u})
      for (peer_id to : {0u, 1u, 2u})
        if (from != to)
          send(from, to, message(1500, each), pattern(1500, each * 9 + from * 3 + to).data());
  for (peer_id to : {0u, 1u, 2u}) {
    wait([&] { return got(to).size() == 2 * many; });
    std::uint32_t next[3] = {0, 0, 0};
    for (const arrival& each : got(to)) {
      ASSERT_EQ(each.head.context(), next[each.from]);
      ASSERT_EQ(each.payload, pattern(1500, next[each.from]++ * 9 + each.from * 3 + to));
    }
  }
}

TEST_F(verbs_cold, receive_queues_of_a_connection_give_their_slots_back) {
  verbs_options own = cold(2);
  own.set.srq = false;
  own.set.max_rc = 1;
  begin(3, own);
  if (ends.empty()) return;
  std::uint32_t number = 0;
  const auto round = [&](peer_id with) {  // until they are connected
    const std::uint64_t before = count(0, "verbs.connections");
    wait([&] {
      if (count(0, "verbs.connections") > before) return true;
      if (at(0).send(with, message(8, number), "12345678")) ++number;
      return false;
    });
    wait([&] { return at(0).settled(); });
  };
  round(1);
  const std::uint64_t slots = count(0, "verbs.slots"), free = count(0, "verbs.slots_free");
  EXPECT_LE(free + 66, slots) << "a window of receives is posted";
  for (int each = 0; each < 6; ++each) {
    round(2);
    round(1);
  }
  EXPECT_GE(count(0, "verbs.demotions"), 10u);
  EXPECT_EQ(count(0, "verbs.slots"), slots) << "no connection needs memory of its own";
  wait([&] { return got(1).size() + got(2).size() == number; });
  EXPECT_GE(count(0, "verbs.slots_free") + 140, slots) << "but that of one or two";
}

TEST_F(verbs_cold, connections_end_behind_large_transfers) {
  for (const char* mode : {"read", "write", "both"}) {
    ends.clear();
    verbs_options few = cold(2);
    few.set.max_rc = 1;
    few.set.rendezvous = rendezvous_named(mode);
    begin(3, few);
    if (ends.empty()) return;
    constexpr std::size_t bytes = 1'500'000;
    const std::vector<std::byte> source[3] = {{}, pattern(bytes, 1), pattern(bytes, 2)};
    for (int turn = 0; turn < 3; ++turn) {
      // Two from each, all wanted at the same time: no fetch is broken off for another.
      std::vector<std::unique_ptr<tracked_fetch>> fetches;
      std::vector<std::vector<std::byte>> targets;
      std::vector<std::pair<peer_id, remote_region>> exposed;
      for (int each = 0; each < 4; ++each) {
        const peer_id from = 1 + static_cast<peer_id>(each % 2);
        exposed.emplace_back(from, at(from).expose(0, source[from].data(), bytes));
        targets.emplace_back(bytes);
      }
      for (std::size_t each = 0; each < 4; ++each) {
        const auto& [from, where] = exposed[each];
        const std::size_t before = got(0).size();
        send(from, 0, envelope::make(0, 1, 2, envelope_kind::announce, sizeof where), &where);
        wait([&] { return got(0).size() > before; });
        fetches.push_back(
            std::make_unique<tracked_fetch>(from, where, targets[each].data(), bytes));
        at(0).start_fetch(*fetches.back());
      }
      wait([&] {
        return std::ranges::all_of(fetches, [](const auto& each) { return each->calls == 1; });
      });
      for (std::size_t each = 0; each < 4; ++each) {
        EXPECT_FALSE(fetches[each]->error) << mode;
        EXPECT_EQ(targets[each], source[exposed[each].first]) << mode;
        at(exposed[each].first).withdraw(0, exposed[each].second);
      }
    }
    EXPECT_GE(count(0, "verbs.demotions"), 3u) << mode;
  }
}

}  // namespace
