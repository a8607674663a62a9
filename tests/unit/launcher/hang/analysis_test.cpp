#include "hang/analysis.hpp"

#include <gtest/gtest.h>

#include "unit/launcher/hang/modelled_job.hpp"

namespace peal::launcher {
namespace {

using what = state::pending::what;
using ranks = std::vector<int>;

TEST(analysis, ranks_that_wait_for_each_other_are_a_cycle) {
  job_snapshot job = modelled_job({0, 0, 0});
  job.at(0).waits = {receive_from(1, 3)};
  job.at(1).waits = {receive_from(2, 3)};
  job.at(2).waits = {receive_from(0, 3)};
  const diagnosis of = diagnose(job);
  const finding* const cycle = find(of, finding_kind::cycle);
  ASSERT_NE(cycle, nullptr);
  EXPECT_EQ(cycle->guilty, (ranks{0, 1, 2}));
  EXPECT_TRUE(cycle->text.starts_with("cycle 0 -> 1 -> 2 -> 0: rank 0 waits for rank 1: "))
      << cycle->text;
  EXPECT_EQ(of.findings.size(), 1u);
}

TEST(analysis, a_rank_outside_of_a_cycle_is_not_part_of_it) {
  job_snapshot job = modelled_job({0, 0, 0});
  job.at(0).waits = {receive_from(1, 3)};
  job.at(1).waits = {receive_from(2, 3)};
  job.at(2).waits = {receive_from(1, 3)};
  const diagnosis of = diagnose(job);
  EXPECT_EQ(find(of, finding_kind::cycle)->guilty, (ranks{1, 2}));
}

TEST(analysis, who_has_begun_fewer_collectives_is_missing) {
  job_snapshot job = modelled_job({412, 411, 412, 412});
  for (const int each : {0, 2, 3}) job.at(each).waits = {collective("allreduce", 412)};
  job.at(1).waits = {receive_from(3, 7)};
  const diagnosis of = diagnose(job);
  const finding* const missing = find(of, finding_kind::missing);
  ASSERT_NE(missing, nullptr);
  EXPECT_EQ(missing->guilty, ranks{1});
  EXPECT_EQ(missing->text,
            "rank 1 is missing in allreduce #412 on the world, where ranks 0,2,3 wait; rank 1 "
            "waits in recv: a message from rank 3 with tag 7 on the world, for 31 s");
  EXPECT_NE(find(of, finding_kind::cycle), nullptr);
  ASSERT_EQ(of.groups.size(), 2u);
  EXPECT_EQ(of.groups[0].ranks, (ranks{0, 2, 3}));
  EXPECT_EQ(of.groups[0].text,
            "each waits in allreduce: allreduce #412 on the world, 8 B, for 31 s");
}

TEST(analysis, a_long_computation_is_told_as_one_and_is_no_cycle) {
  job_snapshot job = modelled_job({412, 412, 412, 411});
  for (const int each : {0, 1, 2}) job.at(each).waits = {collective("allreduce", 412)};
  const diagnosis of = diagnose(job);
  EXPECT_EQ(find(of, finding_kind::missing)->text,
            "rank 3 is missing in allreduce #412 on the world, where ranks 0-2 wait; rank 3 "
            "computes, or does something else outside of peal, for 40 s");
  EXPECT_EQ(find(of, finding_kind::cycle), nullptr);
  EXPECT_EQ(of.odd.front(), 3);
}

TEST(analysis, a_rank_that_only_makes_calls_in_vain_is_told_from_one_that_computes) {
  job_snapshot job = modelled_job({1, 0});
  job.at(0).waits = {collective("barrier", 1, 0)};
  job.at(1).loops = true;
  EXPECT_NE(find(diagnose(job), finding_kind::missing)->text.find("makes calls in a loop"),
            std::string::npos);
}

TEST(analysis, different_collectives_at_one_number_name_the_rank_that_is_alone) {
  job_snapshot job = modelled_job({3, 3, 3});
  job.at(0).waits = {collective("bcast", 3, 4, 0)};
  job.at(1).waits = {collective("barrier", 3, 0)};
  job.at(2).waits = {collective("bcast", 3, 4, 0)};
  const diagnosis of = diagnose(job);
  ASSERT_NE(find(of, finding_kind::mismatch), nullptr);
  EXPECT_EQ(find(of, finding_kind::mismatch)->guilty, ranks{1});
  EXPECT_EQ(find(of, finding_kind::mismatch)->text,
            "call #3 on the world is not the same on all ranks: rank 1 is in barrier of 0 B, ranks "
            "0,2 are in bcast of 4 B with root 0");
}

TEST(analysis, different_lengths_and_roots_of_a_collective_are_told) {
  job_snapshot job = modelled_job({1, 1});
  job.at(0).waits = {collective("bcast", 1, 8, 0)};
  job.at(1).waits = {collective("bcast", 1, 4096, 1)};
  const diagnosis of = diagnose(job);
  EXPECT_EQ(find(of, finding_kind::mismatch)->text,
            "call #1 on the world is not the same on all ranks: rank 1 is in bcast of 4 KiB with "
            "root 1, rank 0 is in bcast of 8 B with root 0");
  EXPECT_NE(find(of, finding_kind::cycle), nullptr);
}

TEST(analysis, collectives_of_two_communicators_in_another_order_are_a_cycle) {
  job_snapshot job = modelled_job({0, 0});
  for (const int each : {0, 1}) {
    job.at(each).communicators.push_back({16, each, 2, each == 0 ? 1u : 0u, "left"});
    job.at(each).communicators.push_back({32, each, 2, each == 1 ? 1u : 0u, ""});
  }
  job.at(0).waits = {collective("barrier", 1, 0, state::nobody, 16)};
  job.at(1).waits = {collective("barrier", 1, 0, state::nobody, 32)};
  const diagnosis of = diagnose(job);
  EXPECT_EQ(find(of, finding_kind::cycle)->text,
            "cycle 0 -> 1 -> 0: rank 0 waits for rank 1: barrier #1 on left; rank 1 waits for rank "
            "0: barrier #1 on communicator 32");
}

TEST(analysis, only_members_of_a_communicator_are_missing_in_its_collectives) {
  job_snapshot job = modelled_job({0, 0, 0});
  job.at(0).communicators.push_back({16, 0, 2, 1, ""});
  job.at(2).communicators.push_back({16, 1, 2, 0, ""});
  job.at(0).waits = {collective("barrier", 1, 0, state::nobody, 16)};
  EXPECT_EQ(find(diagnose(job), finding_kind::missing)->guilty, ranks{2});
}

TEST(analysis, an_unclaimed_message_with_another_tag_is_told) {
  job_snapshot job = modelled_job({0, 0});
  job.at(0).waits = {receive_from(1, 7)};
  job.at(0).waits[0].messages = {{what::unexpected, 1, 8, 0, 16}};
  const diagnosis of = diagnose(job);
  const finding* const found = find(of, finding_kind::unclaimed);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->guilty, (ranks{0, 1}));
  EXPECT_EQ(found->text,
            "rank 0 waits for tag 7 from rank 1, but what rank 1 has sent is tag 8 (16 B), which "
            "lies unclaimed at rank 0");
}

TEST(analysis, an_unclaimed_message_on_another_communicator_is_told) {
  job_snapshot job = modelled_job({0, 0});
  job.at(0).waits = {receive_from(1, 7)};
  job.at(0).waits[0].messages = {{what::unexpected, 1, 7, 32, 16}};
  EXPECT_NE(find(diagnose(job), finding_kind::unclaimed)->text.find("tag 7 on communicator 32"),
            std::string::npos);
}

TEST(analysis, messages_of_other_ranks_are_no_mismatch) {
  job_snapshot job = modelled_job({0, 0, 0});
  job.at(0).waits = {receive_from(1, 7)};
  job.at(0).waits[0].messages = {{what::unexpected, 2, 8, 0, 16}};
  EXPECT_EQ(find(diagnose(job), finding_kind::unclaimed), nullptr);
}

TEST(analysis, a_send_that_nobody_takes_names_what_its_receiver_asks_for) {
  job_snapshot job = modelled_job({0, 0});
  job.at(0).waits = {send_to(1, 11, 1 << 20)};
  job.at(1).waits = {receive_from(0, 12)};
  job.at(1).waits[0].messages = {{what::posted, 0, 12, 0, 64}};
  const diagnosis of = diagnose(job);
  const finding* const found = find(of, finding_kind::unmatched_send);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->guilty, (ranks{0, 1}));
  EXPECT_TRUE(
      found->text.starts_with("rank 0 has sent tag 11 (1 MiB) on the world to rank 1, which "
                              "does not receive it: of that rank it receives tag 12; "))
      << found->text;
}

TEST(analysis, a_rank_that_has_ended_holds_up_those_that_wait_for_it) {
  job_snapshot job = modelled_job({0, 0, 0});
  job.at(1).shows = false;
  job.at(1).ended = "was killed by signal 9 (SIGKILL)";
  job.at(0).waits = {receive_from(1, 7)};
  job.at(2).waits = {receive_from(1, 7)};
  const diagnosis of = diagnose(job);
  const finding* const found = find(of, finding_kind::held_up);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->guilty, ranks{1});
  EXPECT_EQ(found->text,
            "ranks 0,2 wait for rank 1, which has ended: it was killed by signal 9 (SIGKILL)");
  EXPECT_EQ(std::ranges::count(of.odd, 1), 0);  // there is no stack any more
}

TEST(analysis, a_rank_that_has_ended_is_missing_in_collectives_of_the_world) {
  job_snapshot job = modelled_job({1, 0});
  job.at(1) = {};
  job.at(1).rank = 1;
  job.at(1).ended = "exited with code 3";
  job.at(0).waits = {collective("barrier", 1, 0)};
  EXPECT_EQ(find(diagnose(job), finding_kind::missing)->guilty, ranks{1});
}

TEST(analysis, a_stopped_rank_holds_up_the_others_though_it_waits) {
  job_snapshot job = modelled_job({0, 0});
  job.at(0).waits = {receive_from(1, 7)};
  job.at(1).waits = {receive_from(0, 7)};
  job.at(1).process = 'T';
  const diagnosis of = diagnose(job);
  EXPECT_EQ(find(of, finding_kind::held_up)->text,
            "rank 0 waits for rank 1, which is stopped (by a signal, or by a debugger), for 31 s");
  EXPECT_EQ(find(of, finding_kind::cycle), nullptr);
}

TEST(analysis, a_receive_from_any_rank_never_ends_when_all_others_wait) {
  job_snapshot job = modelled_job({0, 0});
  job.at(0).waits = {receive_from(state::any_rank, 7)};
  job.at(1).waits = {receive_from(0, 7)};
  EXPECT_EQ(find(diagnose(job), finding_kind::never_comes), nullptr);  // one other: it is a cycle
  EXPECT_NE(find(diagnose(job), finding_kind::cycle), nullptr);
  job = modelled_job({0, 0, 0});
  job.at(0).waits = {receive_from(state::any_rank, 7)};
  for (const int each : {1, 2}) job.at(each).waits = {receive_from(0, 7)};
  EXPECT_EQ(find(diagnose(job), finding_kind::never_comes)->guilty, ranks{0});
  job.at(2).waits.clear();  // it may still send
  EXPECT_EQ(find(diagnose(job), finding_kind::never_comes), nullptr);
}

TEST(analysis, a_request_of_several_waits_for_any_of_their_ranks) {
  job_snapshot job = modelled_job({0, 0, 0});
  shown_wait& any = job.at(0).waits.emplace_back();
  any.kind = state::wait_kind::several;
  any.messages = {
      {what::posted, 1, 7, 0, 8}, {what::sending, 2, 7, 0, 8}, {what::unexpected, 0, 9, 0, 8}};
  const awaited_ranks awaited = awaited_by(*job.find(0), job);
  EXPECT_EQ(awaited.ranks, (ranks{1, 2}));
  EXPECT_TRUE(awaited.any);
}

TEST(analysis, nothing_is_found_where_nothing_waits) {
  EXPECT_TRUE(diagnose(modelled_job({5, 5})).findings.empty());
  EXPECT_TRUE(diagnose({}).groups.empty());
}

}  // namespace
}  // namespace peal::launcher
