// That both ends agree on who has failed, and that nobody fails for lack of queue pairs, on cards
// of this process's own.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "peal/error.hpp"
#include "unit/transport/verbs/double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_agreement : public verbs_on_cards {
 protected:
  /// Within the time that a test has: nothing here waits for a silence.
  static verbs_options patient() {
    verbs_options made;
    made.set.timeout = 1000;
    return made;
  }
  static verbs_options cold(std::uint32_t promote) {
    verbs_options made = patient();
    made.set.promote = promote;
    return made;
  }
  std::vector<peer_id> lost_at(peer_id which) {
    std::vector<peer_id> lost;
    EXPECT_TRUE(wait([&] { return !(lost = at(which).lost()).empty(); }))
        << "rank " << which << " waits for one that gave it up";
    return lost;
  }
};

TEST_F(verbs_agreement, who_was_given_up_learns_it_with_its_next_message) {
  for (const std::uint32_t promote : {5u, 1'000'000'000u}) {
    begin(2, cold(promote));
    meet(0, 1);
    at(0).peer_failed(1);
    got(0).clear();
    std::uint32_t sent = 0;
    std::vector<peer_id> lost;
    EXPECT_TRUE(until([&] { sent += at(1).send(0, message(8, sent), "12345678"), poll(); },
                      [&] { return sent > 40 || !(lost = at(1).lost()).empty(); }));
    EXPECT_EQ(lost, std::vector<peer_id>{0});
    poll(500);
    EXPECT_TRUE(got(0).empty()) << "a message in the middle of what was lost";
    EXPECT_EQ(cards[0]->count(IBV_QPT_RC), 0u);
  }
}

TEST_F(verbs_agreement, who_was_given_up_gets_no_connection) {
  begin(2, patient());
  at(0).peer_failed(1);
  EXPECT_FALSE(at(1).send(0, message(8), "12345678"));
  EXPECT_EQ(lost_at(1), std::vector<peer_id>{0});
  EXPECT_EQ(cards[0]->count(IBV_QPT_RC), 0u);
}

/// It may have nothing to send, and wait for a message.
TEST_F(verbs_agreement, who_is_given_up_is_told) {
  verbs_options hasty;
  hasty.set.timeout = 0.2;
  begin(2, hasty);
  meet(0, 1);
  at(0).break_connection(1);
  ASSERT_TRUE(at(0).send(1, message(8), "12345678"));
  std::vector<peer_id> lost;
  EXPECT_TRUE(until([&] { at(0).poll(), lost = at(0).lost(); }, [&] { return !lost.empty(); }));
  EXPECT_EQ(lost, std::vector<peer_id>{1});
  cards[1]->drop_datagrams = 2;
  at(0).peer_failed(1);
  EXPECT_EQ(lost_at(1), std::vector<peer_id>{0});
  at(1).peer_failed(0);
  // That it has been heard is heard: nothing is repeated any more.
  int idle = 0;
  EXPECT_TRUE(until([&] { idle = at(0).poll() ? 0 : idle + 1, at(1).poll(); },
                    [&] { return idle == 2000; }));
}

/// Nothing that it sent will be acknowledged.
TEST_F(verbs_agreement, who_was_given_up_does_not_wait_when_it_leaves) {
  begin(2, cold(1'000'000'000));
  meet(0, 1);
  at(0).peer_failed(1);
  ASSERT_TRUE(at(1).send(0, message(8), "12345678"));
  std::atomic<bool> ended{false};
  std::thread other{[&] {
    while (!ended) at(0).poll(), std::this_thread::yield();
  }};
  at(1).leave();
  ended = true;
  other.join();
  EXPECT_EQ(at(1).lost(), std::vector<peer_id>{0});
}

/// As p2p does, to which the end of an operation may be the reason to begin another one.
TEST_F(verbs_agreement, the_end_of_a_fetch_may_begin_a_connection) {
  begin(3, patient());
  meet(0, 1);
  const auto source = pattern(1'000'000, 1);
  std::vector<std::byte> target(source.size());
  struct fetch_then_send : tracked_fetch {
    using tracked_fetch::tracked_fetch;
    verbs_transport* by = nullptr;
  } fetching{1, at(1).expose(0, source.data(), source.size()), target.data(), target.size()};
  fetching.by = &at(0);
  fetching.context = &fetching;
  fetching.done = [](fetch& f, std::error_code e) noexcept {
    auto& self = *static_cast<fetch_then_send*>(f.context);
    ++self.calls;
    self.error = e;
    (void)self.by->send(2, message(8), "12345678");
  };
  cards[1]->cut = true;
  at(0).start_fetch(fetching);
  at(0).peer_failed(1);
  EXPECT_EQ(fetching.calls, 1);
  EXPECT_EQ(fetching.error, errc::peer_failed);
  meet(0, 2);
}

/// Another rank has said that it does not reach rank 1. No end's own turn to look comes while these
/// last.
class verbs_doubts : public verbs_agreement {
 protected:
  static verbs_options patient_with(double timeout) {
    verbs_options made = patient();
    made.set.ack_timeout = 0.001;
    made.set.timeout = timeout;
    return made;
  }
};

TEST_F(verbs_doubts, an_idle_connection_is_looked_at_at_once) {
  begin(2, patient_with(1000));
  meet(0, 1);
  cards[1]->cut = true;
  poll(5000);
  EXPECT_EQ(count(0, "verbs.interruptions"), 0u) << "an idle queue pair notices nothing";
  EXPECT_TRUE(at(0).look_at(1));
  EXPECT_TRUE(wait([&] { return count(0, "verbs.interruptions") > 0; }));
  EXPECT_TRUE(at(0).look_at(1)) << "while it is made again";
  cards[1]->cut = false;
  meet(0, 1);
  EXPECT_TRUE(at(0).lost().empty());
}

TEST_F(verbs_doubts, who_is_not_reached_is_given_up) {
  begin(2, patient_with(0.2));
  meet(0, 1);
  cards[1]->cut = true;
  EXPECT_TRUE(at(0).look_at(1));
  EXPECT_EQ(lost_at(0), std::vector<peer_id>{1});
  at(0).peer_failed(1);
  EXPECT_TRUE(at(0).look_at(1));
}

TEST_F(verbs_doubts, who_is_reached_is_not_given_up_however_often_it_is_said) {
  begin(2, patient_with(1000));
  meet(0, 1);
  const std::uint64_t before = count(0, "verbs.controls");
  for (int each = 0; each < 3000; ++each) {
    EXPECT_TRUE(at(0).look_at(1));
    at(0).poll();  // the other one computes
  }
  EXPECT_GT(count(0, "verbs.controls"), before);
  EXPECT_EQ(count(0, "verbs.interruptions"), 0u);
  EXPECT_TRUE(at(0).lost().empty());
  meet(0, 1);
}

/// No adapter acknowledges a datagram, and no kernel is asked on InfiniBand without IP: one that
/// computes looks as one that is cut off.
TEST_F(verbs_doubts, a_peer_without_a_connection_is_not_given_up_where_nobody_can_tell) {
  verbs_double::port_plan infiniband;
  infiniband.infiniband = true;
  verbs_options settings = patient_with(0.1);
  settings.set.promote = 1'000'000'000;
  begin_apart(2, {infiniband}, settings);
  meet(0, 1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{500};
  while (std::chrono::steady_clock::now() < end) {
    EXPECT_FALSE(at(0).look_at(1)) << "nobody can tell";
    at(0).poll();
  }
  EXPECT_TRUE(at(0).lost().empty());
  meet(0, 1);
}

TEST_F(verbs_doubts, a_peer_that_was_never_talked_to_is_left_alone) {
  begin(2, patient_with(1000));
  EXPECT_TRUE(at(0).look_at(1));
  poll(1000);
  EXPECT_EQ(cards[0]->count(IBV_QPT_RC), 0u);
  EXPECT_TRUE(at(0).lost().empty());
}

class verbs_shortage : public verbs_agreement {
 protected:
  /// `count` messages each way between these two, in order and whole.
  void talk(peer_id one, peer_id other, std::uint32_t count) {
    const std::size_t before[2] = {got(one).size(), got(other).size()};
    for (std::uint32_t each = 0; each < count; ++each)
      for (const auto& [from, to] : {std::pair{one, other}, std::pair{other, one}})
        ASSERT_TRUE(send(from, to, message(3000, each), pattern(3000, each + from).data()));
    ASSERT_TRUE(wait([&] {
      return got(one).size() >= before[0] + count && got(other).size() >= before[1] + count;
    }));
    for (std::uint32_t each = 0; each < count; ++each) {
      EXPECT_TRUE(got(other)[before[1] + each].payload == pattern(3000, each + one)) << each;
      EXPECT_TRUE(got(one)[before[0] + each].payload == pattern(3000, each + other)) << each;
    }
  }
  /// A large payload from one to the other; whether it comes.
  std::error_code bring(peer_id from, peer_id to, std::vector<peer_id>* lost = nullptr) {
    const auto source = pattern(200'000, from * 8 + to);
    std::vector<std::byte> target(source.size());
    const remote_region where = at(from).expose(to, source.data(), source.size());
    const std::size_t before = got(to).size();
    EXPECT_TRUE(
        send(from, to, envelope::make(0, 1, 2, envelope_kind::announce, sizeof where), &where));
    EXPECT_TRUE(wait([&] { return got(to).size() > before; }));
    tracked_fetch fetching{from, where, target.data(), target.size()};
    at(to).start_fetch(fetching);
    EXPECT_TRUE(wait([&] {
      for (const peer_id each : at(to).lost()) {
        if (lost) lost->push_back(each);
        at(to).peer_failed(each);
      }
      return fetching.calls > 0;
    }));
    at(from).withdraw(to, where);
    EXPECT_TRUE(fetching.error || target == source);
    return fetching.error;
  }
};

TEST_F(verbs_shortage, a_device_that_gives_no_queue_pair_leaves_messages_to_datagrams) {
  for (const peer_id poor : {0u, 1u})
    for (const peer_id first : {0u, 1u}) {
      begin(2, patient());
      cards[poor]->most_reliable = 0;
      ASSERT_TRUE(send(first, 1 - first, message(8), "12345678"));
      ASSERT_TRUE(wait([&] { return got(1 - first).size() == 1; }));
      talk(0, 1, 40);
      cards[poor]->most_reliable = verbs_double::card::no_limit;
      for (const peer_id from : {0u, 1u})
        EXPECT_FALSE(bring(from, 1 - from)) << "the shortage is over";
      talk(0, 1, 40);
      EXPECT_TRUE(at(0).lost().empty() && at(1).lost().empty());
    }
}

TEST_F(verbs_shortage, peers_take_turns_where_a_device_does_not_resize) {
  begin(6, patient());
  cards[0]->resizes = false;
  for (int round = 0; round < 2; ++round)
    for (peer_id with = 1; with < 6; ++with) {
      talk(0, with, 10);
      EXPECT_FALSE(bring(with, 0));
      EXPECT_FALSE(bring(0, with));
    }
  for (peer_id each = 0; each < 6; ++each) EXPECT_TRUE(at(each).lost().empty()) << each;
  EXPECT_GT(count(0, "verbs.demotions"), 0u);
}

/// Both ends, and within the time that a silent adapter has.
TEST_F(verbs_shortage, what_only_a_connection_carries_fails_where_there_never_is_one) {
  for (const peer_id poor : {0u, 1u})
    for (const peer_id from : {0u, 1u}) {
      verbs_options hasty;
      hasty.set.timeout = 0.1;
      begin(2, hasty);
      cards[poor]->most_reliable = 0;
      talk(0, 1, 5);
      std::vector<peer_id> lost;
      EXPECT_EQ(bring(from, 1 - from, &lost), errc::peer_failed);
      EXPECT_EQ(lost, std::vector<peer_id>{from});
      EXPECT_EQ(lost_at(from), std::vector<peer_id>{1 - from});
    }
}

}  // namespace
