// That both ends agree on who has failed, and on who has a connection, on cards of this process's own.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "unit/transport/verbs_double/ends.hpp"

namespace {

using namespace peal;
using namespace peal::test;

class verbs_agreement : public verbs_on_cards {
 protected:
  /// Within the time that a test has: nothing here waits for a silence.
  static verbs_settings patient() {
    verbs_settings made;
    made.silence = 1000;
    return made;
  }
  static verbs_settings cold(std::uint32_t promote) {
    verbs_settings made = patient();
    made.promote = promote;
    made.always_promote = true;
    return made;
  }
  std::vector<peer_id> lost_at(peer_id which) {
    std::vector<peer_id> lost;
    EXPECT_TRUE(wait([&] { return !(lost = at(which).lost()).empty(); })) << "rank " << which << " waits for one that gave it up";
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
  begin(2, patient());
  meet(0, 1);
  cards[1]->drop_datagrams = 2;
  at(0).break_connection(1);
  ASSERT_TRUE(at(0).send(1, message(8), "12345678"));
  EXPECT_EQ(lost_at(0), std::vector<peer_id>{1});
  at(0).peer_failed(1);
  EXPECT_EQ(lost_at(1), std::vector<peer_id>{0});
  at(1).peer_failed(0);
  // That it has been heard is heard: nothing is repeated any more.
  int idle = 0;
  EXPECT_TRUE(until([&] { idle = at(0).poll() ? 0 : idle + 1, at(1).poll(); }, [&] { return idle == 2000; }));
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

}  // namespace
