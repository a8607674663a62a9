#include "mpi/topologies/graph.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;
using ints = std::vector<int>;

ints neighbors(const graph& of, int rank) {
  const auto found = of.neighbors(rank);
  return {found.begin(), found.end()};
}

TEST(graph, neighbors_are_those_that_were_given_in_their_order) {
  const graph of{ints{2, 3, 3, 6}, ints{1, 3, 0, 3, 0, 3}};
  EXPECT_EQ(of.nodes(), 4);
  EXPECT_EQ(neighbors(of, 0), (ints{1, 3}));
  EXPECT_EQ(neighbors(of, 1), (ints{0}));
  EXPECT_EQ(neighbors(of, 2), ints{});
  EXPECT_EQ(neighbors(of, 3), (ints{3, 0, 3}));
  EXPECT_EQ(class_thrown_by([&] { (void)of.neighbors(4); }), MPI_ERR_RANK);
  EXPECT_EQ(class_thrown_by([&] { (void)of.neighbors(-1); }), MPI_ERR_RANK);
}

TEST(graph, arrays_that_are_no_graph_are_refused) {
  const auto made_of = [](const ints& index, const ints& edges) {
    return class_thrown_by([&] { (void)graph{index, edges}; });
  };
  EXPECT_EQ(made_of({1, 0}, {}), MPI_ERR_ARG);
  EXPECT_EQ(made_of({-1, 0}, {}), MPI_ERR_ARG);
  EXPECT_EQ(made_of({1, 1}, {2}), MPI_ERR_ARG);
  EXPECT_EQ(made_of({1, 1}, {-1}), MPI_ERR_ARG);
  EXPECT_EQ(made_of({}, {}), MPI_SUCCESS);
}

TEST(graph, is_symmetric_when_each_names_the_other_as_often_as_that_names_it) {
  EXPECT_TRUE((graph{ints{2, 4}, ints{1, 1, 0, 0}}.is_symmetric()));
  EXPECT_FALSE((graph{ints{2, 3}, ints{1, 1, 0}}.is_symmetric()));
  EXPECT_TRUE((graph{ints{1, 1}, ints{0}}.is_symmetric())) << "a node names itself once";
  EXPECT_FALSE((graph{ints{1, 2, 3}, ints{1, 2, 0}}.is_symmetric())) << "a ring one way";
}

TEST(graph, of_edges_that_go_both_ways_is_symmetric) {
  std::mt19937 random{3};
  for (int round = 0; round != 50; ++round) {
    const int nodes = 1 + static_cast<int>(random() % 8);
    std::vector<ints> near(static_cast<std::size_t>(nodes));
    for (unsigned each = random() % 20; each != 0; --each) {
      const auto one = random() % near.size(), other = random() % near.size();
      near[one].push_back(static_cast<int>(other));
      near[other].insert(near[other].begin(), static_cast<int>(one));
    }
    ints index, edges;
    for (const ints& each : near) {
      edges.insert(edges.end(), each.begin(), each.end());
      index.push_back(static_cast<int>(edges.size()));
    }
    EXPECT_TRUE((graph{index, edges}.is_symmetric()));
  }
}

}  // namespace
