#include "shown/snapshot.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "unit/launcher/hang/modelled_job.hpp"

namespace peal::launcher {
namespace {

TEST(snapshot, it_comes_back_from_its_text_as_it_was) {
  job_snapshot job = modelled_job({3, 4});
  job.at(0).host = "n1";
  job.at(0).helped = true;
  job.at(0).cpu_seconds = 1.25;
  job.at(0).activity = {1, 2, 3, 4, 5};
  job.at(1).quiet.reset();
  job.at(1).ended = "exited with code 3";
  shown_wait wait = receive_from(state::any_rank, state::any_tag, 32);
  wait.bytes = 8;
  wait.awaited = {1, 2};
  wait.frames = {0x7fff12345678};
  wait.messages = {{state::pending::what::unexpected, 1, 8, 16, 1024}};
  wait.more_messages = 7;
  wait.stack = {"main (a.c:1)"};
  job.at(0).waits = {wait, collective("barrier", 4)};
  const auto read = from_json(to_json({job}));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].job, job.job);
  EXPECT_EQ(read[0].size, 2);
  EXPECT_EQ(read[0].ranks, job.ranks);
}

TEST(snapshot, text_that_is_none_is_refused_with_the_reason) {
  EXPECT_THROW((void)from_json("{"), std::runtime_error);
  EXPECT_THROW((void)from_json("{}"), std::runtime_error);
  EXPECT_THROW((void)from_json(R"({"form": 99, "jobs": []})"), std::runtime_error);
  EXPECT_THROW((void)from_json(R"({"form": 1, "jobs": [{"job": 3}]})"), std::runtime_error);
  EXPECT_TRUE(from_json(R"({"form": 1, "jobs": []})").empty());
}

TEST(snapshot, the_ranks_of_other_nodes_are_added) {
  job_snapshot here = modelled_job({1, 1, 1}), there = here;
  here.ranks.erase(here.ranks.begin() + 1);  // rank 1 is on the other node
  here.at(0).host = "n1";
  there.at(1).host = "n2";
  there.ranks.erase(there.ranks.begin());
  here.merge(there);
  ASSERT_EQ(here.ranks.size(), 3u);
  EXPECT_EQ(here.at(0).host, "n1");
  EXPECT_EQ(here.at(1).host, "n2");
}

TEST(snapshot, a_rank_in_which_nothing_moves_is_quiet_for_ever_longer) {
  const job_snapshot first = [] {
    job_snapshot made = modelled_job({1, 1});
    for (shown_rank& each : made.ranks) each.quiet.reset();
    return made;
  }();
  job_snapshot second = first, third = first;
  second.compare(first, 2);
  EXPECT_EQ(second.at(0).quiet, 2);
  third.at(0).activity.messages = 1;
  third.at(1).activity.turns = 9;  // it polls, and finds nothing
  third.compare(second, 3);
  EXPECT_FALSE(third.at(0).quiet.has_value());
  EXPECT_EQ(third.at(1).quiet, 5);
  EXPECT_TRUE(third.at(1).loops);
}

TEST(snapshot, another_process_of_that_rank_has_no_past) {
  job_snapshot first = modelled_job({1}), second = first;
  second.at(0).pid = 4711;
  second.compare(first, 2);
  EXPECT_FALSE(second.at(0).quiet.has_value());
}

TEST(snapshot, communicators_have_the_names_that_the_user_gave) {
  job_snapshot job = modelled_job({1, 1});
  EXPECT_EQ(job.name_of(0), "the world");
  EXPECT_EQ(job.name_of(16), "communicator 16");
  job.at(1).communicators.push_back({16, 0, 1, 0, "solvers"});
  EXPECT_EQ(job.name_of(16), "solvers");
}

}  // namespace
}  // namespace peal::launcher
