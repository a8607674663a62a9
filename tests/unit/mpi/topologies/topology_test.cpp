#include "mpi/topologies/topology.hpp"

#include <gtest/gtest.h>

#include "../support/failures.hpp"
#include "../support/modelled_objects.hpp"

namespace {

using namespace peal::mpi;
using ints = std::vector<int>;

TEST(topology, neighbors_in_a_grid_come_in_pairs_below_and_above) {
  const topology grid{cartesian{ints{2, 3, 1}, ints{1, 0, 1}}};
  const peal::detail::neighborhood near = neighborhood_of(grid, 2);  // at 0, 2, 0
  EXPECT_TRUE(near.paired);
  EXPECT_EQ(near.sources, (ints{5, 5, 1, MPI_PROC_NULL, 2, 2}));
  EXPECT_EQ(near.destinations, near.sources);
  EXPECT_EQ(grid.kind(), MPI_CART);
}

TEST(topology, neighbors_in_a_graph_are_those_that_a_rank_names) {
  const topology known{graph{ints{2, 4}, ints{1, 1, 0, 0}}};
  const peal::detail::neighborhood near = neighborhood_of(known, 1);
  EXPECT_FALSE(near.paired);
  EXPECT_EQ(near.sources, (ints{0, 0}));
  EXPECT_EQ(near.destinations, (ints{0, 0}));
  EXPECT_EQ(known.kind(), MPI_GRAPH);
}

TEST(topology, a_distributed_graph_has_sources_apart_from_destinations) {
  distributed_graph edges;
  edges.sources = {3};
  edges.destinations = {1, 2};
  const topology own{edges};
  const peal::detail::neighborhood near = neighborhood_of(own, 0);
  EXPECT_EQ(near.sources, (ints{3}));
  EXPECT_EQ(near.destinations, (ints{1, 2}));
  EXPECT_EQ(own.kind(), MPI_DIST_GRAPH);
}

TEST(topology, what_a_communicator_does_not_have_is_refused) {
  modelled_objects there;
  EXPECT_EQ(class_thrown_by([] { (void)cartesian_of(MPI_COMM_SELF); }), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(class_thrown_by([&] { need_neighbors(there.self); }), MPI_ERR_TOPOLOGY);
  there.self.topology = std::make_shared<const topology>(cartesian{ints{2}, ints{0}});
  EXPECT_EQ(cartesian_of(MPI_COMM_SELF).size(), 2);
  EXPECT_EQ(class_thrown_by([] { (void)graph_of(MPI_COMM_SELF); }), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(class_thrown_by([] { (void)distributed_graph_of(MPI_COMM_SELF); }), MPI_ERR_TOPOLOGY);
  EXPECT_EQ(class_thrown_by([&] { need_neighbors(there.self); }), MPI_SUCCESS);
}

TEST(topology, a_graph_with_an_edge_one_way_has_no_neighbors) {
  modelled_objects there;
  there.self.topology = std::make_shared<const topology>(graph{ints{1, 1}, ints{1}});
  EXPECT_EQ(graph_of(MPI_COMM_SELF).nodes(), 2);
  EXPECT_EQ(class_thrown_by([&] { need_neighbors(there.self); }), MPI_ERR_TOPOLOGY);
}

}  // namespace
