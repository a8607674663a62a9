// How long connections that broke are made again, and who is given up then: with cards of this
// process's own.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "peal/error.hpp"
#include "transport/verbs/connect/reconnector.hpp"
#include "unit/transport/verbs/connect/random_traffic.hpp"

namespace {

using namespace peal;
using namespace peal::test;

using verbs_reconnection = verbs_traffic;

TEST_F(verbs_reconnection, a_peer_that_is_really_gone_is_given_up_in_time) {
  verbs_options settings = hasty();
  settings.set.timeout = 0.3;
  start(settings);
  const auto source = pattern(300'000, 1);
  std::vector<std::byte> target(source.size());
  cards[1]->cut = true;
  tracked_fetch fetching{1, at(1).expose(0, source.data(), source.size()), target.data(),
                         target.size()};
  at(0).start_fetch(fetching);
  ASSERT_TRUE(at(0).send(1, message(8, 0), "12345678"));
  const auto before = std::chrono::steady_clock::now();
  std::vector<peer_id> lost;
  // On a busy machine each turn may wait for others: many polls in each, so that this end looks in
  // time.
  const auto look = [&] {
    for (int left = 256; left > 0; --left) at(0).poll();
    lost = at(0).lost();
  };
  EXPECT_TRUE(until(look, [&] { return !lost.empty(); }));
  EXPECT_EQ(lost, std::vector<peer_id>{1});
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds{300})
      << "it had less time than it was to have";
  at(0).peer_failed(1);
  EXPECT_EQ(fetching.calls, 1);
  EXPECT_EQ(fetching.error, errc::peer_failed);
  // The network is back: what was decided stays, and both ends know it.
  cards[1]->cut = false;
  EXPECT_TRUE(wait([&] { return at(1).lost() == std::vector<peer_id>{0}; }));
  EXPECT_TRUE(got(1).empty()) << "a message of one that has been given up";
}

/// Time in which this process does not look does not count; but one that never looks in time gives
/// up too.
TEST_F(verbs_reconnection, a_process_that_looks_seldom_gives_up_one_that_is_gone) {
  verbs_options settings = hasty();
  settings.set.timeout = 0.1;
  start(settings);
  cards[1]->cut = true;
  ASSERT_TRUE(at(0).send(1, message(8, 0), "12345678"));
  std::vector<peer_id> lost;
  const auto look = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{30});
    for (int left = 256; left > 0; --left) at(0).poll();
    lost = at(0).lost();
  };
  EXPECT_TRUE(until(look, [&] { return !lost.empty(); }));
  EXPECT_EQ(lost, std::vector<peer_id>{1});
}

/// Its kernel says that it is there.
TEST_F(verbs_reconnection, a_peer_that_computes_has_longer) {
  verbs_options settings = hasty();
  settings.set.timeout = 0.4;
  start(settings);
  cards[1]->cut = true;
  ASSERT_TRUE(at(0).send(1, message(8, 0), "12345678"));
  ASSERT_TRUE(until([&] { at(0).poll(); }, [&] { return count(0, "verbs.interruptions") == 1; }));
  cards[1]->cut = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{900};
  while (std::chrono::steady_clock::now() < end) at(0).poll();
  EXPECT_TRUE(at(0).lost().empty());
  EXPECT_TRUE(wait([&] { return got(1).size() == 1; }));
  EXPECT_TRUE(at(0).lost().empty() && at(1).lost().empty());
}

/// Its time is long over when it answers the handshake, and what is sent then takes time too.
TEST_F(verbs_reconnection, a_peer_that_has_computed_has_time_to_acknowledge) {
  verbs_options settings = hasty();
  settings.set.timeout = 0.4;
  settings.set.ack_timeout = 0.05;
  start(settings);
  cards[1]->cut = true;
  ASSERT_TRUE(at(0).send(1, message(8, 0), "12345678"));
  ASSERT_TRUE(until([&] { at(0).poll(); }, [&] { return count(0, "verbs.interruptions") == 1; }));
  cards[1]->cut = false;
  const auto spend = [&](int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{milliseconds};
    while (std::chrono::steady_clock::now() < end) at(0).poll();
  };
  spend(600);
  cards[0]->listens = [&](const std::byte*, std::size_t) { cards[1]->cut = true; };
  ASSERT_TRUE(wait([&] { return count(0, "verbs.reconnections") == 1; }));
  EXPECT_TRUE(cards[1]->cut);
  cards[0]->listens = nullptr;
  spend(200);
  EXPECT_TRUE(at(0).lost().empty());
  cards[1]->cut = false;
  EXPECT_TRUE(wait([&] { return got(1).size() == 1; }));
  pass(std::chrono::milliseconds{600});
  EXPECT_TRUE(at(0).lost().empty() && at(1).lost().empty());
}

}  // namespace
