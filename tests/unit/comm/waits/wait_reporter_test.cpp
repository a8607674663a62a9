// What a rank shows of a wait that lasts, over messages of a fake job.
#include "comm/waits/wait_reporter.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <array>

#include "unit/p2p/fake_network.hpp"

namespace peal::test {
namespace {

struct reported_rank {
  fake_job job{3};
  state::rank_state page{"job", 0, 3};
  wait_reporter reporter{page};
  std::array<std::byte, 8> room{};

  reported_rank() { reporter.watch(job[0], nullptr); }
  [[nodiscard]] std::size_t shown() const {
    std::size_t count = 0;
    for (const state::wait_entry& each : page.page().waits) count += each.used.load();
    return count;
  }
};

TEST(wait_reporter, a_receive_is_shown_with_its_peer_and_tag_until_it_is_over) {
  reported_rank rank;
  operation& waited = rank.job.receive(0, 2, 7, rank.room.data(), rank.room.size());
  state::wait_entry* entry = nullptr;
  rank.reporter.lasts({.operation = &waited}, 1234, entry);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(rank.shown(), 1u);
  EXPECT_EQ(entry->kind, state::wait_kind::receive);
  EXPECT_EQ(entry->world, 2);
  EXPECT_EQ(entry->tag, 7);
  EXPECT_EQ(entry->bytes, 8u);
  EXPECT_EQ(entry->since, 1234);
  EXPECT_EQ(entry->sequence.load() % 2, 0u);
  EXPECT_GT(entry->frames, 0u);
  EXPECT_EQ(entry->thread, static_cast<std::uint32_t>(::gettid()));
  rank.reporter.over(entry);
  EXPECT_EQ(rank.shown(), 0u);
  EXPECT_TRUE(rank.job[0].cancel(waited));
  rank.job[0].release(waited);
}

TEST(wait_reporter, messages_that_nobody_has_asked_for_are_listed_with_what_is_posted) {
  reported_rank rank;
  operation& sent = rank.job.send(1, 0, 8, rank.room.data(), 4);
  rank.job.settle();
  operation& waited = rank.job.receive(0, detail::any_source_value, 7, rank.room.data(), 8);
  state::wait_entry* entry = nullptr;
  rank.reporter.lasts({.operation = &waited}, 1, entry);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->peer, state::any_rank);
  ASSERT_EQ(entry->pending_count, 2u);
  using what = state::pending::what;
  EXPECT_EQ(entry->held[0].kind, what::posted);
  EXPECT_EQ(entry->held[0].peer, state::any_rank);
  EXPECT_EQ(entry->held[1].kind, what::unexpected);
  EXPECT_EQ(entry->held[1].peer, 1);
  EXPECT_EQ(entry->held[1].tag, 8);
  EXPECT_EQ(entry->held[1].bytes, 4u);
  rank.reporter.over(entry);
  rank.job[1].release(sent);
  EXPECT_TRUE(rank.job[0].cancel(waited));
  rank.job[0].release(waited);
}

TEST(wait_reporter, a_wait_that_finds_no_room_is_left_out_and_counted) {
  reported_rank rank;
  std::array<state::wait_entry*, state::rank_page::most_waits + 1> all{};
  for (state::wait_entry*& each : all) rank.reporter.lasts({}, 1, each);
  EXPECT_EQ(all.back(), nullptr);
  EXPECT_EQ(rank.shown(), state::rank_page::most_waits);
  EXPECT_EQ(rank.page.page().left_out.load(), 1u);
}

}  // namespace
}  // namespace peal::test
