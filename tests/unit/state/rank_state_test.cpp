#include "state/rank_state.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

namespace peal::state {
namespace {

TEST(rank_state, a_page_says_whose_it_is) {
  const rank_state made{"a-job", 3, 8};
  const rank_page& page = made.page();
  EXPECT_EQ(page.magic, page_magic);
  EXPECT_EQ(page.version, page_version);
  EXPECT_EQ(page.bytes, sizeof(rank_page));
  EXPECT_EQ(page.rank, 3);
  EXPECT_EQ(page.size, 8);
  EXPECT_EQ(page.process, ::getpid());
  EXPECT_STREQ(page.job.data(), "a-job");
  EXPECT_EQ(page.now, phase::starting);
}

TEST(rank_state, places_of_communicators_are_given_again_and_there_is_an_end) {
  rank_state made{"a-job", 0, 1};
  std::array<communicator_entry*, rank_page::most_communicators> all{};
  for (auto& each : all) {
    each = made.add_communicator(16, 0, 1);
    ASSERT_NE(each, nullptr);
  }
  EXPECT_EQ(made.add_communicator(16, 0, 1), nullptr);
  EXPECT_EQ(made.page().left_out, 1u);
  all[7]->calls = 99;
  made.name(*all[7], "old");
  made.remove(*all[7]);
  communicator_entry* const again = made.add_communicator(32, 2, 4);
  ASSERT_EQ(again, all[7]);
  EXPECT_EQ(again->context, 32u);
  EXPECT_EQ(again->rank, 2);
  EXPECT_EQ(again->size, 4);
  EXPECT_EQ(again->calls, 0u);
  EXPECT_EQ(again->name[0], '\0');
}

TEST(rank_state, a_name_is_cut_to_its_room) {
  rank_state made{"a-job", 0, 1};
  communicator_entry& entry = *made.add_communicator(0, 0, 1);
  made.name(entry, std::string(100, 'x'));
  EXPECT_EQ(std::string{entry.name.data()}, std::string(entry.name.size() - 1, 'x'));
}

TEST(rank_state, a_wait_is_shown_from_its_first_writing_on) {
  rank_state made{"a-job", 0, 1};
  wait_entry* const entry = made.add_wait();
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->used, 0u);
  {
    const wait_writing writing{*entry};
    EXPECT_EQ(entry->sequence % 2, 1u);
  }
  EXPECT_EQ(entry->sequence % 2, 0u);
  EXPECT_EQ(entry->used, 1u);
  for (std::size_t each = 1; each != rank_page::most_waits; ++each)
    EXPECT_NE(made.add_wait(), nullptr);
  EXPECT_EQ(made.add_wait(), nullptr);
  made.remove(*entry);
  EXPECT_EQ(made.add_wait(), entry);
}

TEST(rank_state, lanes_beyond_the_last_share_its_place) {
  rank_state made{"a-job", 0, 1};
  EXPECT_NE(&made.activity(0), &made.activity(1));
  EXPECT_EQ(&made.activity(rank_page::most_lanes - 1), &made.activity(1000));
}

}  // namespace
}  // namespace peal::state
