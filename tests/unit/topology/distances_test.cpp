#include "topology/distances.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <string>

namespace {

using namespace peal;

/// Those of a machine that hwloc describes in a line.
distances of(const char* description) {
  hwloc_topology_t topology = nullptr;
  EXPECT_EQ(hwloc_topology_init(&topology), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, description), 0) << description;
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  distances made{topology};
  hwloc_topology_destroy(topology);
  return made;
}

TEST(distances, are_those_of_caches_and_sockets) {
  const distances two = of("pack:2 numa:4 l3:1 core:16 pu:1");
  const std::string nodes = "0-15;16-31;32-47;48-63;64-79;80-95;96-111;112-127";
  EXPECT_EQ(two.text(), nodes + "|" + nodes + "|0-63;64-127");
  EXPECT_EQ(two.between(0, 0), span::cache);
  EXPECT_EQ(two.between(0, 15), span::cache);
  EXPECT_EQ(two.between(15, 16), span::socket);
  EXPECT_EQ(two.between(63, 0), span::socket);
  EXPECT_EQ(two.between(63, 64), span::machine);
  EXPECT_EQ(two.between(127, 0), span::machine);
}

TEST(distances, take_the_second_level_where_there_is_no_third) {
  const distances small = of("pack:1 l2:2 core:2 pu:2");
  EXPECT_EQ(small.text(), "0-3;4-7|0-7|0-7");
  EXPECT_EQ(small.between(0, 3), span::cache);
  EXPECT_EQ(small.between(3, 4), span::numa) << "one NUMA node is the machine";
  EXPECT_EQ(of("pack:1 l3:1 l2:2 core:2 pu:1").between(0, 3), span::cache);
}

TEST(distances, without_caches_are_those_of_cores_and_sockets) {
  const distances bare = of("pack:2 core:2 pu:2");
  EXPECT_EQ(bare.between(0, 1), span::cache) << "one core";
  EXPECT_EQ(bare.between(1, 2), span::numa);
  EXPECT_EQ(bare.between(3, 4), span::machine) << "though all is one NUMA node";
  const distances nodes = of("numa:2 core:2 pu:1");
  EXPECT_EQ(nodes.between(0, 1), span::numa);
  EXPECT_EQ(nodes.between(1, 2), span::socket) << "no socket is known";
}

TEST(distances, tell_numa_nodes_of_several_caches_apart) {
  const distances wide = of("pack:2 numa:4 l3:2 core:8 pu:1");
  EXPECT_EQ(wide.between(0, 7), span::cache);
  EXPECT_EQ(wide.between(7, 8), span::numa);
  EXPECT_EQ(wide.between(15, 16), span::socket);
  EXPECT_EQ(wide.between(63, 64), span::machine);
  EXPECT_TRUE(wide.several_numas());
}

TEST(distances, tell_numa_nodes_under_one_cache_apart) {
  const distances split = of("pack:2 l3:1 numa:2 core:4 pu:1");
  EXPECT_EQ(split.text(), "0-7;8-15|0-3;4-7;8-11;12-15|0-7;8-15");
  EXPECT_EQ(split.between(0, 3), span::cache);
  EXPECT_EQ(split.between(3, 4), span::numa) << "one cache";
  EXPECT_EQ(split.between(7, 8), span::machine);
  EXPECT_FALSE(of("pack:2 l3:1 core:4 pu:1").several_numas());
  EXPECT_FALSE(distances{}.several_numas());
}

TEST(distances, number_numa_nodes_as_the_system_does) {
  const distances turned = of("pack:2 numa:1(indexes=3,1) l3:1 core:2 pu:1");
  EXPECT_EQ(turned.text(), "0-1;2-3|;2-3;;0-1|0-1;2-3");
  EXPECT_EQ(distances{std::string_view{turned.text()}}.text(), turned.text());
  cpu_mask mask;
  mask.words[0] = 0b11;
  EXPECT_EQ(turned.place_of(mask).numa, 3);
}

TEST(distances, are_none_where_nothing_is_known) {
  for (const char* each : {"pu:4", "core:4 pu:1", "pu:1"}) {
    const distances flat = of(each);
    EXPECT_EQ(flat.between(0, 3), span::cache) << each;
    EXPECT_EQ(flat.text(), "||") << each;
  }
  EXPECT_EQ(distances{}.between(0, 7), span::cache);
  EXPECT_EQ(of("pack:1 core:1 pu:1").between(0, 0), span::cache);
}

TEST(distances, to_a_thread_that_is_not_known_are_the_shortest) {
  const distances two = of("pack:2 l3:1 core:2 pu:1");
  EXPECT_EQ(two.between(-1, 3), span::cache);
  EXPECT_EQ(two.between(0, 4), span::cache);
  EXPECT_EQ(two.between(100000, 0), span::cache);
  EXPECT_EQ(two.between(0, 3), span::machine);
}

TEST(distances, survive_as_text) {
  for (const char* each : {"pack:2 numa:4 l3:1 core:16 pu:1", "pack:2 core:2 pu:2", "pu:4",
                           "pack:2 l3:2 core:3 pu:2", "pack:2 l3:1 numa:2 core:2 pu:2"}) {
    const distances made = of(each);
    const distances read{std::string_view{made.text()}};
    EXPECT_EQ(read.text(), made.text());
    for (int one = 0; one < 12; ++one)
      for (int other = 0; other < 12; ++other)
        EXPECT_EQ(read.between(one, other), made.between(one, other)) << each;
  }
  // Hardware threads of one core are numbered far apart on many machines.
  const distances apart{std::string_view{"0-1,4-5;2-3,6-7|0-7|0-7"}};
  EXPECT_EQ(apart.text(), "0-1,4-5;2-3,6-7|0-7|0-7");
  EXPECT_EQ(apart.between(0, 5), span::cache);
  EXPECT_EQ(apart.between(0, 6), span::numa);
}

TEST(distances, tell_where_a_rank_runs_that_keeps_to_one_place) {
  const distances made{std::string_view{"0-1,4-5;2-3,6-7;8|0-7;8|0-7;8"}};
  const auto place_of = [&](std::initializer_list<std::size_t> threads) {
    cpu_mask mask;
    for (const std::size_t each : threads)
      mask.words[each / cpu_mask::word_bits] |= std::uint64_t{1} << each % cpu_mask::word_bits;
    return made.place_of(mask);
  };
  EXPECT_EQ(place_of({0, 5}), (rank_place{0, 0, 0}));
  EXPECT_EQ(place_of({2}), (rank_place{1, 0, 0}));
  EXPECT_EQ(place_of({0, 2}), (rank_place{rank_place::unknown, 0, 0})) << "two caches";
  EXPECT_EQ(place_of({7, 8}), rank_place{}) << "two sockets";
  EXPECT_EQ(place_of({0, 100}), rank_place{}) << "a thread that nobody knows";
  EXPECT_EQ(place_of({}), rank_place{});
  EXPECT_EQ(distances{}.place_of({}), rank_place{});
}

TEST(distances, of_a_text_that_is_none_are_flat) {
  for (const char* each :
       {"", "0-3;4-7", "0-3|0-7", "x|0-7|0-7", "0-3;|0-3|0-3", "3-0|0-3|0-3", "0-99999|0-3|0-3",
        "0-3|0-3|0-", "0+3|0-3|0-3", "-1|0|0", "0-3|0-3,|0-3", "0-3,;4|0-3|0-3", "0-3|0-3|0-3|"}) {
    EXPECT_EQ(distances{std::string_view{each}}.text(), "||") << each;
  }
  const std::string many(10000, ';');
  EXPECT_EQ(distances{"0|" + many + "0|0"}.text(), "||");
}

}  // namespace
