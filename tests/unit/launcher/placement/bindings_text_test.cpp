#include "placement/bindings_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "placement/topologies.hpp"

namespace {

using namespace peal::launcher;
using namespace peal::launcher::test;

TEST(bindings_text, has_a_line_a_rank_and_a_picture) {
  const node_cores node = cores_of("pack:2 numa:1 l3:2 core:2 pu:2");
  EXPECT_EQ(bindings_text(node, {place::at(node, {0, 1}), place::at(node, {3, 4})}, "", "node7"),
            "Bindings on node7 (2 sockets, 2 NUMA nodes, 4 L3 caches, 8 cores, 16 hardware "
            "threads):\n"
            "rank  socket  NUMA  L3   cores  hardware threads\n"
            "   0  0       0     0    0-1    0-3               [##/..][../..]\n"
            "   1  0-1     0-1   1-2  3-4    6-9               [../.#][#./..]\n");
}

TEST(bindings_text, leaves_out_what_there_is_one_of) {
  const node_cores node = cores_of("core:2 pu:1");
  EXPECT_EQ(bindings_text(node, {place::at(node, {1})}, "", "here"),
            "Bindings on here (1 socket, 1 NUMA node, 2 cores):\n"
            "rank  cores\n"
            "   0  1      [.#]\n");
}

TEST(bindings_text, shows_cores_that_are_not_for_the_job) {
  const synthetic machine{"pack:2 core:2 pu:1"};
  const node_cores node = node_cores::of(machine.get(), {1, 2});
  const std::string text = bindings_text(node, {place::at(node, {2})}, "", "here");
  EXPECT_NE(text.find("[-.][#-]\n"), std::string::npos) << text;
}

TEST(bindings_text, of_many_ranks_is_aligned) {
  const node_cores node = cores_of("pack:2 core:64 pu:2");
  std::vector<place> places;
  for (int rank = 0; rank < 128; ++rank) places.push_back(place::at(node, {rank}));
  const std::string text = bindings_text(node, places, "", "here");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 130);
  EXPECT_NE(text.find("\n   9  0       9      18-19\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n 127  1       127    254-255\n"), std::string::npos) << text;
}

TEST(bindings_text, says_why_ranks_are_not_bound) {
  const node_cores node = cores_of("core:4 pu:1");
  EXPECT_EQ(bindings_text(node, std::vector<place>(3), "--bind-to none", "here"),
            "Bindings on here (1 socket, 1 NUMA node, 4 cores): ranks 0-2 are not bound (--bind-to "
            "none)\n");
  place within = place::at(node, {2, 3});
  within.bound = false;
  EXPECT_EQ(bindings_text(node, {within}, "ranks share cores", "here"),
            "Bindings on here (1 socket, 1 NUMA node, 4 cores): rank 0 is not bound (ranks share "
            "cores); hardware threads 2-3 are allowed\n");
}

}  // namespace
