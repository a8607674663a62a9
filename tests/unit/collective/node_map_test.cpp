#include "collective/node_map.hpp"

#include <gtest/gtest.h>

#include "unit/collective/arrangements.hpp"

namespace {

using peal::node_map;

TEST(node_map, numbers_nodes_by_their_lowest_ranks) {
  const std::vector<std::uint32_t> nodes{7, 3, 7, 3, 3};
  const node_map map{nodes};
  EXPECT_EQ(map.nodes(), 2);
  EXPECT_EQ(map.node_of(0), 0);
  EXPECT_EQ(map.node_of(4), 1);
  EXPECT_EQ(map.count(0), 2);
  EXPECT_EQ(map.count(1), 3);
  EXPECT_EQ(map.fewest(), 2);
  EXPECT_EQ(map.rank(1, 2), 4);
  EXPECT_EQ(map.index_of(3), 1);
  EXPECT_TRUE(map.has_levels());
  EXPECT_FALSE(map.in_order());
}

TEST(node_map, every_rank_is_where_it_says) {
  for (std::size_t which = 0; which != peal::test::arrangement_count; ++which)
    for (int size = 1; size != 40; ++size) {
      const auto nodes = peal::test::arranged(which, size);
      const node_map map{nodes};
      int found = 0;
      for (int node = 0; node != map.nodes(); ++node)
        for (int i = 0; i != map.count(node); ++i, ++found) {
          const int rank = map.rank(node, i);
          EXPECT_EQ(map.node_of(rank), node);
          EXPECT_EQ(map.index_of(rank), i);
          EXPECT_EQ(nodes[static_cast<std::size_t>(rank)],
                    nodes[static_cast<std::size_t>(map.rank(node, 0))]);
        }
      EXPECT_EQ(found, size);
    }
}

TEST(node_map, knows_where_nodes_are_neighbours_and_where_there_are_levels) {
  const auto map = [](std::vector<std::uint32_t> nodes) { return node_map{nodes}; };
  EXPECT_TRUE(map({0, 0, 1, 1, 1}).in_order());
  EXPECT_TRUE(map({5, 0, 0}).in_order());
  EXPECT_FALSE(map({0, 1, 0}).in_order());
  EXPECT_FALSE(map({0, 1, 1, 0}).in_order());
  EXPECT_FALSE(map({0, 1, 2}).has_levels());
  EXPECT_FALSE(map({4, 4, 4}).has_levels());
  EXPECT_TRUE(map({4, 4, 1}).has_levels());
}

}  // namespace
