#include "placement/node_cores.hpp"

#include <gtest/gtest.h>

#include <set>

#include "placement/topologies.hpp"
#include "topology/machine.hpp"

namespace {

using peal::launcher::node_cores;
using namespace peal::launcher::test;

TEST(node_cores, know_where_each_core_is) {
  const node_cores node = cores_of(large);
  ASSERT_EQ(node.cores.size(), 32U);
  EXPECT_EQ(node.text(), "2 sockets, 4 NUMA nodes, 8 L3 caches, 32 cores, 64 hardware threads");
  const auto& core = node.cores[21];
  EXPECT_EQ(core.number, 21);
  EXPECT_EQ(core.socket, 1);
  EXPECT_EQ(core.in_socket, 5);
  EXPECT_EQ(core.numa, 2);
  EXPECT_EQ(core.l3, 5);
  EXPECT_EQ(core.threads, (std::vector{42, 43}));
}

TEST(node_cores, without_caches_have_their_numa_nodes_in_place_of_them) {
  const node_cores node = cores_of("pack:2 numa:2 core:2 pu:1");
  EXPECT_EQ(node.text(), "2 sockets, 4 NUMA nodes, 8 cores");
  std::set<std::pair<int, int>> met;
  for (const auto& each : node.cores) met.emplace(each.l3, each.numa);
  EXPECT_EQ(met, (std::set<std::pair<int, int>>{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
}

TEST(node_cores, of_the_smallest_machine_are_one) {
  const node_cores node = cores_of("core:1 pu:1");
  ASSERT_EQ(node.cores.size(), 1U);
  EXPECT_EQ(node.text(), "1 socket, 1 NUMA node, 1 core");
  EXPECT_EQ(node.usable(), std::vector{0});
}

TEST(node_cores, where_none_are_shown_are_the_hardware_threads) {
  const node_cores node = cores_of("pack:2 pu:2");
  ASSERT_EQ(node.cores.size(), 4U);
  EXPECT_EQ(node.cores[3].threads, std::vector{3});
  EXPECT_EQ(node.cores[3].in_socket, 1);
}

TEST(node_cores, have_the_nearest_memory_and_not_one_that_has_no_cores) {
  // Two nodes of a socket each, and one of the whole machine, as memory behind CXL is.
  const node_cores node = cores_of("[numa] pack:2 [numa] core:2 pu:1");
  EXPECT_EQ(node.numas, 2);
  EXPECT_EQ(node.cores[0].numa, node.cores[1].numa);
  EXPECT_NE(node.cores[1].numa, node.cores[2].numa);
  // Of two kinds of memory beside the same cores, the first.
  EXPECT_EQ(cores_of("pack:2 [numa][numa] core:2 pu:1").numas, 2);
}

TEST(node_cores, that_a_cgroup_takes_away_are_not_there) {
  synthetic machine{large};
  machine.leave({2, 3, 40, 41, 42});
  const node_cores node = cores_of(machine);
  ASSERT_EQ(node.cores.size(), 3U);
  EXPECT_EQ(node.sockets, 2);
  EXPECT_EQ(node.threads, 5);
  EXPECT_EQ(node.cores[2].threads, std::vector{42});
}

TEST(node_cores, that_the_affinity_forbids_keep_their_numbers) {
  const synthetic machine{"pack:2 core:2 pu:2"};
  const node_cores node = node_cores::of(machine.get(), {3, 6, 7});
  ASSERT_EQ(node.cores.size(), 4U);
  EXPECT_EQ(node.usable(), (std::vector{1, 3}));
  EXPECT_EQ(node.all_threads(), (std::vector{3, 6, 7}));
  EXPECT_EQ(node.restricted_to({0, 6}).usable(), std::vector{3});
  EXPECT_EQ(node.restricted_to({0, 6}).threads, 1);
}

TEST(node_cores, of_this_machine_are_those_that_ranks_count) {
  const peal::machine here;
  std::vector<int> threads;
  for (const auto& core : here.cores()) threads.insert(threads.end(), core.begin(), core.end());
  const node_cores node = node_cores::of(here.handle(), threads);
  ASSERT_EQ(node.usable().size(), here.cores().size());
  std::size_t at = 0;
  for (const int core : node.usable())
    EXPECT_EQ(node.cores[static_cast<std::size_t>(core)].threads, here.cores()[at++]);
}

}  // namespace
