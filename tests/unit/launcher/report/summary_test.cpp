#include "report/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace peal::launcher {
namespace {

noted_rank rank_of(double computing, double waiting) {
  noted_rank made;
  made.known = made.ended = true;
  made.time = computing + waiting;
  made.waiting = waiting;
  made.sites.push_back({.call = "recv",
                        .file = "dir/a.cpp",
                        .line = 7,
                        .address = 0,
                        .calls = 4,
                        .bytes = 32,
                        .handling = 0,
                        .waiting = waiting,
                        .copying = 0,
                        .longest = waiting});
  return made;
}

bool says(const std::vector<std::string>& sentences, const std::string& what) {
  return std::ranges::any_of(
      sentences, [&](const auto& each) { return each.find(what) != std::string::npos; });
}

gathered_run run_of(std::vector<noted_rank> ranks) {
  gathered_run made;
  made.ranks = std::move(ranks);
  return made;
}

TEST(sums, tell_who_computes_longest_and_how_far_the_mean_is_from_it) {
  const time_sums sum = sums_of(run_of({rank_of(1, 3), rank_of(4, 0), rank_of(1, 3)}));
  EXPECT_EQ(sum.longest_computing_rank, 1);
  EXPECT_DOUBLE_EQ(sum.mean_computing, 2);
  EXPECT_DOUBLE_EQ(sum.imbalance(), 0.5);
  EXPECT_DOUBLE_EQ(sum.waiting, 6);
}

TEST(slowest, places_of_all_ranks_are_one) {
  const gathered_run run = run_of({rank_of(1, 3), rank_of(4, 1)});
  const std::vector<place_sum> all = slowest_places(run, places{run});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].where, "a.cpp:7");
  EXPECT_EQ(all[0].ranks, 2);
  EXPECT_EQ(all[0].calls, 8u);
  EXPECT_DOUBLE_EQ(all[0].time, 4);
}

TEST(summary, says_what_is_slow_and_who_is_waited_for) {
  const gathered_run run = run_of({rank_of(1, 3), rank_of(4, 0)});
  const auto told = summary_of(run, slowest_places(run, places{run}));
  EXPECT_TRUE(says(told, "The slowest call is recv at a.cpp:7"));
  EXPECT_TRUE(says(told, "Rank 1 computed longest"));
}

TEST(summary, blames_no_rank_for_a_difference_that_is_a_small_part_of_the_run) {
  const gathered_run run = run_of({rank_of(1, 99), rank_of(3, 97)});
  const auto told = summary_of(run, slowest_places(run, places{run}));
  EXPECT_FALSE(says(told, "computed longest"));
}

TEST(summary, counts_in_whole_sentences) {
  gathered_run run = run_of({rank_of(1, 1)});
  run.ranks[0].peers.resize(1);
  run.ranks[0].peers[0].sent = 1;
  run.ranks[0].peers[0].sent_bytes = 8;
  const auto told = summary_of(run, slowest_places(run, places{run}));
  EXPECT_TRUE(says(told, "1 rank ran for"));
  EXPECT_TRUE(says(told, "1 message was sent, 8 B in all"));
}

TEST(summary, says_what_is_missing) {
  gathered_run run = run_of({rank_of(1, 1), rank_of(1, 1), {}});
  run.ranks[1].ended = false;
  run.code = 137;
  const auto told = summary_of(run, {});
  EXPECT_TRUE(says(told, "ended with code 137"));
  EXPECT_TRUE(says(told, "The numbers of rank 1 end with its last call"));
  EXPECT_TRUE(says(told, "Nothing is known of rank 2"));
  EXPECT_TRUE(says(summary_of(run_of({{}}), {}), "nothing was recorded"));
}

TEST(counters, have_sum_and_extremes) {
  gathered_run run = run_of({rank_of(1, 1), rank_of(1, 1)});
  run.ranks[0].counters.push_back({.name = "verbs.doorbells", .meaning = "m", .value = 3});
  run.ranks[1].counters.push_back({.name = "verbs.doorbells", .meaning = "m", .value = 5});
  const std::vector<counter_sum> all = counters_of(run);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].sum, 8u);
  EXPECT_EQ(all[0].least, 3u);
  EXPECT_EQ(all[0].most_rank, 1);
  EXPECT_TRUE(says(summary_of(run, {}), "8 doorbells"));
}

TEST(summary, nodes_have_the_sums_of_their_ranks) {
  gathered_run run;
  run.ranks.resize(4);
  const std::vector<std::string> hosts{"n2", "n1", "n2", ""};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    noted_rank& of = run.ranks[rank];
    of.known = true;
    of.host = hosts[rank];
    of.time = 10;
    of.waiting = static_cast<double>(rank);
    of.peers.resize(4);
  }
  run.ranks[0].peers[2].sent_bytes = 100;       // within the node
  run.ranks[0].peers[1].sent_bytes = 7;         // to the other one
  run.ranks[2].peers[1].collective_bytes = 20;  // as well
  run.ranks[1].peers[0].sent_bytes = 3;
  const std::vector<node_sum> nodes = nodes_of(run);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].name, "n2");
  EXPECT_EQ(nodes[0].ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(nodes[0].waiting, 2);
  EXPECT_EQ(nodes[0].computing, 18);
  EXPECT_EQ(nodes[0].within, 100u);
  EXPECT_EQ(nodes[0].sent, 27u);
  EXPECT_EQ(nodes[1].ranks, (std::vector<int>{1}));
  EXPECT_EQ(nodes[1].sent, 3u);
}

}  // namespace
}  // namespace peal::launcher
