// Who is given up without an acknowledgement, and who is not: with kernels and a clock of the
// test's own.
#include "transport/verbs/datagram/node_watch.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <utility>

namespace {

using namespace peal;
using namespace peal::verbs;
using std::chrono::milliseconds;
using std::chrono::seconds;

gid_bytes gid(std::uint8_t node) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, 0, node};
}

struct kernels final : prober {
  std::map<gid_bytes, bool> answer;  // who does not stand here does
  std::map<int, gid_bytes> open;
  std::size_t asked = 0, knocks = 0, most_open = 0;
  int next = 0;
  bool can_ask = true;
  std::map<std::pair<gid_bytes, std::uint16_t>, bool> gone;
  std::deque<std::pair<gid_bytes, std::uint16_t>> refusals;

  int ask(const gid_bytes& node) noexcept override {
    if (!can_ask) return -1;
    ++asked;
    open[next] = node;
    most_open = std::max(most_open, open.size());
    return next++;
  }
  bool answered(int question) noexcept override {
    const auto found = answer.find(open.at(question));
    return found == answer.end() || found->second;
  }
  void end(int question) noexcept override { open.erase(question); }
  void probe_process(const gid_bytes& node, std::uint16_t door) noexcept override {
    ++knocks;
    if (gone.contains({node, door})) refusals.emplace_back(node, door);
  }
  bool refused(gid_bytes& node, std::uint16_t& door) noexcept override {
    if (refusals.empty()) return false;
    std::tie(node, door) = refusals.front();
    refusals.pop_front();
    return true;
  }
};

struct node_watches : testing::Test {
  static constexpr seconds silence{4};
  kernels all, second;  // over the first rail, and the second
  std::vector<std::pair<peer_id, peer_loss>> lost;
  node_watch::clock::time_point now{std::chrono::hours{1}};
  node_watch watch{{&all, &second}, gid(1), 1000, silence, [this](peer_id peer, peer_loss why) {
                     lost.emplace_back(peer, why), watch.end(peer);
                   }};

  void wait(milliseconds time) {
    for (; time.count() > 0; time -= milliseconds{10}) watch.look(now += milliseconds{10});
  }
};

TEST_F(node_watches, who_answers_is_there_however_long_it_says_nothing) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  wait(std::chrono::minutes{10});
  EXPECT_TRUE(lost.empty());
  EXPECT_GT(all.asked, 100u);
  EXPECT_LT(all.asked, 400u) << "twice a silence";
  EXPECT_LT(all.knocks, 400u);
}

/// This process looks when it comes to it, and may do so late each time.
TEST_F(node_watches, who_is_looked_at_late_is_there) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  wait(seconds{1});
  for (int each = 0; each < 200; ++each) {
    now += silence * (each % 20) / 16;
    EXPECT_TRUE(watch.is_there(5, now)) << "before the look, at round " << each;
    watch.look(now);
    EXPECT_TRUE(watch.is_there(5, now)) << "behind it, at round " << each;
  }
  EXPECT_TRUE(lost.empty());
  all.answer[gid(2)] = false;
  wait(silence);
  EXPECT_FALSE(watch.is_there(5, now)) << "it does not answer";
}

/// Nobody knows then.
TEST_F(node_watches, who_cannot_be_asked_is_not_there) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  wait(seconds{1});
  all.can_ask = false;
  wait(silence * 2);
  EXPECT_FALSE(watch.is_there(5, now));
  EXPECT_TRUE(lost.empty());
}

TEST_F(node_watches, who_is_heard_is_not_asked) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  wait(seconds{1});
  const std::size_t before = all.asked;
  for (int each = 0; each < 100; ++each) {
    wait(seconds{1});
    watch.heard(5, now);
  }
  EXPECT_EQ(all.asked, before);
  EXPECT_EQ(all.knocks, 0u);
}

TEST_F(node_watches, a_silent_node_loses_all_its_peers_after_a_silence) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  watch.watch(6, {{0, gid(3), 78}}, now);
  watch.watch(7, {{0, gid(2), 79}}, now);
  wait(seconds{20});
  all.answer[gid(2)] = false;
  wait(silence / 2 - milliseconds{100});
  EXPECT_TRUE(lost.empty());
  wait(silence * 2);
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0].first + lost[1].first, 12u);
  EXPECT_EQ(lost[0].second, peer_loss::node_silent);
  wait(seconds{60});
  EXPECT_EQ(lost.size(), 2u) << "once";
  EXPECT_EQ(all.open.size() <= 1, true) << "only the other node is asked";
}

TEST_F(node_watches, a_node_that_has_never_answered_is_no_news) {
  all.answer[gid(2)] = false;
  watch.watch(5, {{0, gid(2), 0}}, now);
  wait(std::chrono::minutes{5});
  EXPECT_TRUE(lost.empty());
  EXPECT_LT(all.asked, 100u) << "and is seldom asked";
  all.answer[gid(2)] = true;  // it was cut off when it was met
  wait(silence * 2);
  all.answer[gid(2)] = false;
  wait(silence * 2);
  EXPECT_EQ(lost.size(), 1u);
}

// A program that sleeps right after its first packets looks seldom; what it learns then must not
// depend on when.
TEST_F(node_watches, a_node_is_asked_as_soon_as_it_is_known) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  EXPECT_EQ(all.asked, 1u);
  watch.watch(6, {{0, gid(2), 78}}, now);
  EXPECT_EQ(all.asked, 1u) << "one question for the node";
  wait(milliseconds{10});      // it answers,
  all.answer[gid(2)] = false;  // and is cut off
  wait(3 * silence);
  EXPECT_EQ(lost.size(), 2u);
}

TEST_F(node_watches, a_gap_is_survived) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  for (int each = 0; each < 20; ++each) {
    wait(silence);
    all.answer[gid(2)] = false;
    wait(silence / 2);
    all.answer[gid(2)] = true;
  }
  EXPECT_TRUE(lost.empty());
}

TEST_F(node_watches, who_computes_for_an_hour_misses_nobody) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  wait(seconds{1});
  for (int each = 0; each < 20; ++each) {
    now += std::chrono::hours{1};
    watch.look(now);
  }
  EXPECT_TRUE(lost.empty());
  // And where a question from before the pause went unanswered, one is not enough.
  all.answer[gid(2)] = false;
  wait(silence * 3 / 4);
  now += std::chrono::hours{1};
  watch.look(now);
  all.answer[gid(2)] = true;
  wait(silence * 2);
  EXPECT_TRUE(lost.empty());
}

TEST_F(node_watches, a_process_that_is_no_more_is_missed_after_a_silence) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  watch.watch(7, {{0, gid(2), 79}}, now);
  wait(seconds{10});
  all.gone[{gid(2), 77}] = true;
  wait(silence - milliseconds{100});
  EXPECT_TRUE(lost.empty());
  wait(silence * 2);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0], (std::pair<peer_id, peer_loss>{5, peer_loss::process_gone}));
}

TEST_F(node_watches, a_packet_outweighs_a_refusal) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  all.gone[{gid(2), 77}] = true;  // the door is another's, say
  for (int each = 0; each < 30; ++each) {
    wait(silence * 3 / 4);
    watch.heard(5, now);
  }
  EXPECT_TRUE(lost.empty());
}

TEST_F(node_watches, the_own_node_is_the_launchers) {
  watch.watch(5, {{0, gid(1), 77}}, now);
  wait(std::chrono::minutes{1});
  EXPECT_EQ(all.asked + all.knocks, 0u);
}

TEST_F(node_watches, many_nodes_are_asked_in_turn) {
  for (peer_id each = 0; each < 600; ++each) {
    gid_bytes node = gid(static_cast<std::uint8_t>(each));
    node[14] = static_cast<std::uint8_t>(1 + each / 256);
    watch.watch(each, {{0, node, static_cast<std::uint16_t>(each + 1)}}, now);
  }
  wait(std::chrono::minutes{1});
  EXPECT_LE(all.most_open, 64u);
  EXPECT_TRUE(lost.empty());
  gid_bytes one = gid(99);
  one[14] = 2;  // rank 256 + 99
  all.answer[one] = false;
  wait(std::chrono::minutes{2});
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].first, 355u);
  for (peer_id each = 0; each < 600; ++each) watch.end(each);
  EXPECT_TRUE(all.open.empty());
}

TEST_F(node_watches, where_nothing_can_be_asked_nobody_is_lost) {
  watch.watch(5, {{0, gid(2), 0}}, now);
  wait(seconds{10});
  all.can_ask = false;
  all.answer[gid(2)] = false;
  wait(std::chrono::minutes{1});
  EXPECT_LE(lost.size(), 0u);
}

/// The first adapter's address goes, and the second one's answers.
TEST_F(node_watches, a_node_is_asked_over_its_other_network_before_it_is_lost) {
  watch.watch(5, {{0, gid(2), 77}, {1, gid(3), 78}}, now);
  wait(seconds{20});
  EXPECT_EQ(second.asked, 0u);
  all.answer[gid(2)] = false;
  wait(std::chrono::minutes{5});
  EXPECT_TRUE(lost.empty());
  EXPECT_TRUE(watch.is_there(5, now));
  second.gone[{gid(3), 78}] = true;
  wait(silence * 3);
  ASSERT_EQ(lost.size(), 1u) << "its process is looked for there too";
  EXPECT_EQ(lost[0].second, peer_loss::process_gone);
  watch.watch(5, {{0, gid(2), 77}, {1, gid(3), 78}}, now);
  second.answer[gid(3)] = false;
  wait(silence * 3);
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[1].second, peer_loss::node_silent);
}

TEST_F(node_watches, who_is_doubted_is_asked_at_once_and_stays_when_it_answers) {
  watch.watch(5, {{0, gid(2), 77}}, now);
  EXPECT_FALSE(watch.doubt(6)) << "nobody watches it";
  wait(seconds{20});
  watch.heard(5, now);
  const std::size_t asked = all.asked, knocks = all.knocks;
  EXPECT_TRUE(watch.doubt(5));
  wait(milliseconds{10});
  EXPECT_EQ(all.asked, asked + 1);
  EXPECT_EQ(all.knocks, knocks + 1);
  for (int each = 0; each < 400; ++each) {
    EXPECT_TRUE(watch.doubt(5));
    wait(milliseconds{100});
  }
  EXPECT_TRUE(lost.empty());
}

/// All that is brought forward is the first question.
TEST_F(node_watches, who_is_doubted_is_lost_after_a_silence_and_not_before) {
  for (const bool doubted : {false, true}) {
    lost.clear();
    all.answer[gid(2)] = true;
    watch.watch(5, {{0, gid(2), 77}}, now);
    wait(seconds{20});
    watch.heard(5, now);
    all.answer[gid(2)] = false;
    if (doubted) {
      EXPECT_TRUE(watch.doubt(5));
    }
    wait(silence - milliseconds{10});
    EXPECT_TRUE(lost.empty());
    wait(milliseconds{500});
    EXPECT_EQ(lost.size(), doubted ? 1u : 0u);
    wait(silence);
    EXPECT_EQ(lost.size(), 1u);
  }
}

TEST_F(node_watches, doubt_is_no_evidence_where_a_node_has_never_answered) {
  all.answer[gid(2)] = false;
  watch.watch(5, {{0, gid(2), 0}}, now);
  for (int each = 0; each < 100; ++each) {
    EXPECT_FALSE(watch.doubt(5));
    wait(seconds{1});
  }
  EXPECT_TRUE(lost.empty());
  EXPECT_LT(all.asked, 60u);
}

}  // namespace
