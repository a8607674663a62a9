#include "shown/rank_pages.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "state/rank_state.hpp"

namespace peal::launcher {
namespace {

/// What is read of the page of this process.
job_snapshot read_own() {
  rank_pages pages{::getpid()};
  pages.look();
  const auto all = pages.read();
  return all.size() == 1 ? all.front() : job_snapshot{};
}

TEST(rank_pages, what_a_rank_shows_is_read) {
  state::rank_state shown{"a-job", 2, 5};
  shown.enter(state::phase::running);
  shown.activity(0).messages = 7;
  shown.activity(99).bytes = 70;  // shares the last place
  state::communicator_entry* const world = shown.add_communicator(0, 2, 5);
  ASSERT_NE(world, nullptr);
  shown.name(*world, "MPI_COMM_WORLD");
  world->calls = std::uint64_t{12} << 32 | 5;
  const job_snapshot job = read_own();
  EXPECT_EQ(job.job, "a-job");
  EXPECT_EQ(job.size, 5);
  ASSERT_EQ(job.ranks.size(), 1u);
  const shown_rank& rank = job.ranks.front();
  EXPECT_EQ(rank.rank, 2);
  EXPECT_EQ(rank.pid, ::getpid());
  EXPECT_EQ(rank.phase, state::phase::running);
  EXPECT_EQ(rank.activity, (shown_activity{0, 0, 7, 70, 12}));
  EXPECT_EQ(rank.communicators, (std::vector<shown_communicator>{{0, 2, 5, 12, "MPI_COMM_WORLD"}}));
  EXPECT_TRUE(rank.waits.empty());
}

TEST(rank_pages, a_wait_is_read_once_it_is_written_and_no_more_when_it_is_over) {
  state::rank_state shown{"a-job", 0, 2};
  state::wait_entry* const entry = shown.add_wait();
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(read_own().ranks.at(0).waits.size(), 0u);
  {
    const state::wait_writing writing{*entry};
    entry->kind = state::wait_kind::receive;
    entry->since = state::now_in_nanoseconds() - 5'000'000'000;
    entry->peer = entry->world = 1;
    entry->tag = 7;
    entry->bytes = state::unknown_bytes;
    entry->pending_count = 40;  // more than there is room for
    entry->held[3] = {state::pending::what::unexpected, 1, 8, 0, 16};
    entry->frames = 2;
    entry->frame[1] = 0x1234;
  }
  const job_snapshot job = read_own();
  ASSERT_EQ(job.ranks.at(0).waits.size(), 1u);
  const shown_wait& wait = job.ranks[0].waits[0];
  EXPECT_EQ(wait.kind, state::wait_kind::receive);
  EXPECT_GE(wait.seconds, 5);
  EXPECT_EQ(wait.world, 1);
  EXPECT_EQ(wait.tag, 7);
  EXPECT_FALSE(wait.bytes.has_value());
  EXPECT_EQ(wait.messages.size(), state::wait_entry::most_pending);
  EXPECT_EQ(wait.more_messages, 8u);
  EXPECT_EQ(wait.messages[3], (shown_message{state::pending::what::unexpected, 1, 8, 0, 16}));
  EXPECT_EQ(wait.frames, (std::vector<std::uint64_t>{0, 0x1234}));
  shown.remove(*entry);
  EXPECT_EQ(read_own().ranks.at(0).waits.size(), 0u);
}

TEST(rank_pages, of_a_thread_that_waits_in_a_wait_the_inner_one_is_told) {
  state::rank_state shown{"a-job", 0, 2};
  for (const std::int64_t since : {100, 200}) {
    state::wait_entry* const entry = shown.add_wait();
    const state::wait_writing writing{*entry};
    entry->since = since;
  }
  const job_snapshot job = read_own();
  ASSERT_EQ(job.ranks.at(0).waits.size(), 1u);
  EXPECT_EQ(job.ranks[0].waits[0].began, 200);
}

TEST(rank_pages, a_page_that_is_gone_is_not_found) {
  {
    const state::rank_state gone{"a-job", 0, 2};
  }
  EXPECT_TRUE(read_own().ranks.empty());
}

TEST(rank_pages, a_process_belongs_to_its_own_family) {
  EXPECT_TRUE(family_of(::getpid()).contains(::getpid()));
  EXPECT_TRUE(family_of(::getppid()).contains(::getpid()));
}

}  // namespace
}  // namespace peal::launcher
