#include "topology/rank_groups.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "topology/distances.hpp"

namespace {

using namespace peal;

/// Where ranks run that are bound to these hardware threads of such a machine.
std::vector<rank_place> places_of(const char* description, const std::vector<int>& threads) {
  hwloc_topology_t topology = nullptr;
  EXPECT_EQ(hwloc_topology_init(&topology), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, description), 0);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  const distances between{topology};
  hwloc_topology_destroy(topology);
  std::vector<rank_place> places;
  for (const int each : threads) {
    cpu_mask mask;
    mask.words[static_cast<std::size_t>(each) / cpu_mask::word_bits] |=
        std::uint64_t{1} << static_cast<std::size_t>(each) % cpu_mask::word_bits;
    places.push_back(between.place_of(mask));
  }
  return places;
}
std::vector<int> first(int count) {
  std::vector<int> made;
  for (int each = 0; each != count; ++each) made.push_back(each);
  return made;
}
constexpr const char* large = "pack:2 numa:4 l3:1 core:16 pu:1";

/// Every rank is in one group that it does not lead, but for one, which leads the top; and each
/// group says rightly for whom its members stand.
void expect_tree(const rank_groups& made, int ranks) {
  std::vector<std::set<int>> stands_for;
  for (int rank = 0; rank != ranks; ++rank) stands_for.push_back({rank});
  std::vector<int> followed(static_cast<std::size_t>(ranks)), led(followed.size());
  for (const rank_groups::group& each : made.all()) {
    ASSERT_GE(each.members.size(), 2U);
    ASSERT_LE(each.members.size(), rank_groups::most_members);
    ASSERT_EQ(each.members.size(), each.parts.size());
    ASSERT_TRUE(std::ranges::is_sorted(each.members));
    const auto leader = static_cast<std::size_t>(each.members.front());
    EXPECT_EQ(each.number, led[leader]++);
    std::set<int> all;
    for (std::size_t part = 0; part != each.parts.size(); ++part) {
      const auto member = static_cast<std::size_t>(each.members[part]);
      EXPECT_EQ(std::set<int>(each.parts[part].begin(), each.parts[part].end()),
                stands_for[member]);
      all.merge(stands_for[member]);
      if (part != 0) ++followed[member];
    }
    stands_for[leader] = all;
  }
  EXPECT_EQ(std::ranges::count(followed, 1), ranks - 1);
  EXPECT_EQ(std::ranges::count(followed, 0), 1);
  ASSERT_FALSE(made.all().empty());
  EXPECT_EQ(stands_for[static_cast<std::size_t>(made.all().back().members.front())].size(),
            static_cast<std::size_t>(ranks));
}

TEST(rank_groups, are_cut_from_a_list_where_nothing_is_known) {
  for (int ranks = 2; ranks <= 300; ++ranks) {
    const rank_groups made{std::vector<rank_place>(static_cast<std::size_t>(ranks))};
    expect_tree(made, ranks);
    EXPECT_TRUE(made.in_order()) << ranks;
    // Two levels, as long as these hold all.
    EXPECT_EQ(made.most_led(), ranks <= 16 ? 1 : ranks <= 256 ? 2 : 3) << ranks;
  }
  EXPECT_TRUE(rank_groups{std::vector<rank_place>(1)}.all().empty());
}

TEST(rank_groups, keep_to_caches_and_sockets) {
  const rank_groups made{places_of(large, first(128))};
  expect_tree(made, 128);
  EXPECT_TRUE(made.in_order());
  ASSERT_EQ(made.all().size(), 11U);  // eight caches, two sockets, and their leaders
  EXPECT_EQ(made.all()[0].members, first(16));
  EXPECT_EQ(made.all()[4].members, (std::vector<int>{0, 16, 32, 48}));
  EXPECT_EQ(made.all()[10].members, (std::vector<int>{0, 64}));
}

TEST(rank_groups, put_ranks_of_one_cache_together_however_they_are_numbered) {
  std::vector<int> by_turns;
  for (int rank = 0; rank != 64; ++rank) by_turns.push_back(rank % 2 * 64 + rank / 2);
  const rank_groups made{places_of(large, by_turns)};
  expect_tree(made, 64);
  EXPECT_FALSE(made.in_order());
  for (const rank_groups::group& each : made.all()) {
    if (&each == &made.all().back()) continue;
    for (const int member : each.members)
      EXPECT_EQ(member % 2, each.members.front() % 2) << "one socket";
  }
  EXPECT_EQ(made.all().back().members, (std::vector<int>{0, 1}));
}

TEST(rank_groups, may_be_of_very_different_sizes) {
  std::vector<int> threads{0, 1, 2};
  for (int rank = 3; rank != 64; ++rank) threads.push_back(64 + rank - 3);
  const rank_groups made{places_of(large, threads)};
  expect_tree(made, 64);
  EXPECT_EQ(made.all().front().members, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(made.all().back().members, (std::vector<int>{0, 3}));
}

TEST(rank_groups, of_ranks_that_share_a_core_are_a_list) {
  const rank_groups on_one{places_of(large, std::vector<int>(40, 7))};
  expect_tree(on_one, 40);
  EXPECT_EQ(on_one.most_led(), 2);
  std::vector<int> twice = first(128);
  twice.insert(twice.end(), twice.begin(), twice.end());
  const rank_groups made{places_of(large, twice)};
  expect_tree(made, 256);
  EXPECT_FALSE(made.in_order());
}

TEST(rank_groups, have_no_group_for_a_rank_alone_in_its_cache) {
  std::vector<int> threads;
  for (int rank = 0; rank != 8; ++rank) threads.push_back(rank * 16);
  const rank_groups made{places_of(large, threads)};
  expect_tree(made, 8);
  ASSERT_EQ(made.all().size(), 3U);
  EXPECT_EQ(made.all()[0].members, first(4));
}

TEST(rank_groups, know_of_a_rank_that_may_run_anywhere) {
  std::vector<rank_place> places = places_of(large, first(32));
  places[5] = {};
  const rank_groups made{places};
  expect_tree(made, 32);
  EXPECT_EQ(made.all().back().members, (std::vector<int>{0, 5}));
}

}  // namespace
