#include "topology/rank_groups.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <algorithm>
#include <map>
#include <random>
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

/// Those of a group, by its leader and which of his it is.
std::vector<int> members_of(const rank_groups& made, int leader, int number) {
  for (const rank_groups::group& each : made.all())
    if (each.members.front() == leader && each.number == number) return each.members;
  return {};
}

TEST(rank_groups, keep_to_numa_nodes_of_several_caches) {
  const rank_groups made{places_of("pack:2 numa:4 l3:2 core:8 pu:1", first(128))};
  expect_tree(made, 128);
  EXPECT_TRUE(made.in_order());
  ASSERT_EQ(made.all().size(), 16U + 8 + 2 + 1);
  EXPECT_EQ(members_of(made, 0, 0), first(8));
  EXPECT_EQ(members_of(made, 0, 1), (std::vector<int>{0, 8}));
  EXPECT_EQ(members_of(made, 0, 2), (std::vector<int>{0, 16, 32, 48}));
  EXPECT_EQ(members_of(made, 0, 3), (std::vector<int>{0, 64}));
}

TEST(rank_groups, keep_to_numa_nodes_under_one_cache) {
  const rank_groups made{places_of("pack:2 l3:2 numa:2 core:4 pu:1", first(32))};
  expect_tree(made, 32);
  ASSERT_EQ(made.all().size(), 8U + 4 + 2 + 1);
  EXPECT_EQ(members_of(made, 0, 0), first(4));
  EXPECT_EQ(members_of(made, 0, 1), (std::vector<int>{0, 4}));
  EXPECT_EQ(members_of(made, 0, 2), (std::vector<int>{0, 8}));
  EXPECT_EQ(members_of(made, 0, 3), (std::vector<int>{0, 16}));
}

TEST(rank_groups, have_no_level_for_one_numa_node_of_several_sockets) {
  const rank_groups made{places_of("pack:2 l3:2 core:4 pu:1", first(16))};
  expect_tree(made, 16);
  ASSERT_EQ(made.all().size(), 4U + 2 + 1);
  EXPECT_EQ(made.all().back().members, (std::vector<int>{0, 8}));
  const rank_groups odd{places_of("numa:2 pack:2 l3:1 core:4 pu:1", first(16))};
  expect_tree(odd, 16);
  EXPECT_EQ(members_of(odd, 8, 1), (std::vector<int>{8, 12})) << "sockets within a NUMA node";
}

// Whatever the order of ranks: no two places of a level are mixed below that level.
TEST(rank_groups, keep_to_numa_nodes_in_any_order_of_ranks) {
  std::mt19937 random{1};
  for (const char* machine : {"pack:2 numa:4 l3:2 core:8 pu:1", "pack:2 l3:2 numa:2 core:16 pu:1",
                              "pack:2 numa:4 l3:1 core:16 pu:1"}) {
    std::vector<int> threads = first(128);
    for (int round = 0; round != 5; ++round) {
      std::ranges::shuffle(threads, random);
      const std::vector<rank_place> places = places_of(machine, threads);
      const rank_groups made{places};
      expect_tree(made, 128);
      EXPECT_FALSE(made.in_order());
      // Each NUMA node is joined by itself: its lowest rank comes to stand for all of it, and for
      // nothing else.
      std::map<int, std::set<int>> nodes;
      for (int rank = 0; rank != 128; ++rank)
        nodes[places[static_cast<std::size_t>(rank)].numa].insert(rank);
      EXPECT_EQ(nodes.size(), 8U);
      for (const auto& [number, ranks] : nodes) {
        const bool found = std::ranges::any_of(made.all(), [&](const rank_groups::group& each) {
          return std::ranges::any_of(each.parts, [&](const std::vector<int>& part) {
            return std::set<int>(part.begin(), part.end()) == ranks;
          });
        });
        EXPECT_TRUE(found) << machine << ", NUMA node " << number;
      }
    }
  }
}

TEST(rank_groups, know_of_ranks_that_keep_to_a_numa_node_only) {
  std::vector<rank_place> places = places_of("pack:1 numa:2 l3:2 core:4 pu:1", first(16));
  for (const std::size_t each : {5U, 6U, 7U}) places[each].cache = rank_place::unknown;
  const rank_groups made{places};
  expect_tree(made, 16);
  EXPECT_EQ(members_of(made, 5, 0), (std::vector<int>{5, 6, 7}));
  EXPECT_EQ(members_of(made, 0, 1), (std::vector<int>{0, 4, 5})) << "of the first node";
  EXPECT_EQ(members_of(made, 0, 2), (std::vector<int>{0, 8}));
}

TEST(rank_groups, know_of_a_rank_that_may_run_anywhere) {
  std::vector<rank_place> places = places_of(large, first(32));
  places[5] = {};
  const rank_groups made{places};
  expect_tree(made, 32);
  EXPECT_EQ(made.all().back().members, (std::vector<int>{0, 5}));
}

}  // namespace
