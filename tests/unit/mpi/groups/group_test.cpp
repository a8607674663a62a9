#include "mpi/groups/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

namespace {

using peal::mpi::group;

std::vector<int> some_ranks(std::mt19937& random, int most) {
  std::vector<int> all(static_cast<std::size_t>(most));
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::uniform_int_distribution<std::size_t>{0, all.size()}(random));
  return all;
}

TEST(group, knows_the_ranks_of_its_members_both_ways) {
  std::mt19937 random{1};
  for (int round = 0; round != 200; ++round) {
    const std::vector<int> members = some_ranks(random, 30);
    const group made{members};
    ASSERT_EQ(made.size(), static_cast<int>(members.size()));
    EXPECT_EQ(made.world_ranks(), members);
    for (int world = -3; world != 33; ++world) {
      const auto found = std::find(members.begin(), members.end(), world);
      EXPECT_EQ(made.rank_of(world),
                found == members.end() ? MPI_UNDEFINED : static_cast<int>(found - members.begin()));
    }
    for (std::size_t rank = 0; rank != members.size(); ++rank)
      EXPECT_EQ(made.world_rank(static_cast<int>(rank)), members[rank]);
  }
}

TEST(group, regular_ranks_are_counted_forwards_and_backwards) {
  const group down{{9, 6, 3}};
  EXPECT_EQ(down.rank_of(9), 0);
  EXPECT_EQ(down.rank_of(3), 2);
  EXPECT_EQ(down.rank_of(0), MPI_UNDEFINED);
  EXPECT_EQ(down.rank_of(12), MPI_UNDEFINED);
  EXPECT_EQ(down.rank_of(7), MPI_UNDEFINED);
  EXPECT_EQ(down.world_ranks(), (std::vector<int>{9, 6, 3}));
  EXPECT_EQ(group::first_ranks(4).world_ranks(), (std::vector<int>{0, 1, 2, 3}));
}

TEST(group, one_without_members_has_no_rank_at_all) {
  EXPECT_EQ(group{}.size(), 0);
  EXPECT_EQ(group{}.rank_of(0), MPI_UNDEFINED);
  EXPECT_TRUE(group{}.world_ranks().empty());
  EXPECT_EQ(group{}, group{std::vector<int>{}});
}

TEST(group, equals_another_with_the_same_members_in_the_same_order) {
  EXPECT_EQ((group{{0, 1, 2}}), group::first_ranks(3));
  EXPECT_EQ((group{{4}}), (group{{4}}));
  EXPECT_NE((group{{4}}), (group{{5}}));
  EXPECT_NE((group{{0, 2}}), (group{{0, 3}}));
  EXPECT_NE((group{{0, 1}}), (group{{1, 0}}));
  EXPECT_EQ((group{{0, 1, 5}}), (group{{0, 1, 5}}));
  EXPECT_NE((group{{0, 1, 5}}), (group{{0, 1, 4}}));
  EXPECT_NE((group{{0, 1, 5}}), (group{{0, 1, 2}}));
}

TEST(group, threads_may_ask_for_ranks_at_the_same_time) {
  const group made{{5, 0, 9, 2, 7}};
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread)
    threads.emplace_back([&made] {
      EXPECT_EQ(made.rank_of(9), 2);
      EXPECT_EQ(made.rank_of(1), MPI_UNDEFINED);
    });
  for (std::thread& each : threads) each.join();
}

}  // namespace
