#include "mpi/topologies/balanced_dims.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;
using ints = std::vector<int>;

ints balanced(int ranks, ints dims) {
  balance_dims(ranks, dims);
  return dims;
}

TEST(balanced_dims, are_the_examples_of_the_standard) {
  EXPECT_EQ(balanced(6, {0, 0}), (ints{3, 2}));
  EXPECT_EQ(balanced(7, {0, 0}), (ints{7, 1}));
  EXPECT_EQ(balanced(6, {0, 3, 0}), (ints{2, 3, 1}));
}

TEST(balanced_dims, multiply_to_the_number_of_ranks_and_never_grow) {
  for (int ranks = 1; ranks != 300; ++ranks)
    for (std::size_t count = 1; count != 5; ++count) {
      const ints dims = balanced(ranks, ints(count));
      EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>{}), ranks);
      EXPECT_TRUE(std::is_sorted(dims.rbegin(), dims.rend()));
    }
}

TEST(balanced_dims, extents_that_are_given_stay) {
  EXPECT_EQ(balanced(24, {0, 2, 0}), (ints{4, 2, 3}));
  EXPECT_EQ(balanced(24, {4, 6}), (ints{4, 6}));
  EXPECT_EQ(balanced(5, {0, 5}), (ints{1, 5}));
  EXPECT_EQ(balanced(1, {}), ints{});
}

TEST(balanced_dims, extents_that_do_not_go_with_the_ranks_are_refused) {
  EXPECT_EQ(class_thrown_by([] { (void)balanced(7, {0, 3, 0}); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_thrown_by([] { (void)balanced(12, {2, 3}); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_thrown_by([] { (void)balanced(12, {4, 6, 0}); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_thrown_by([] { (void)balanced(12, {-2, 0}); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_thrown_by([] { (void)balanced(2, {}); }), MPI_ERR_DIMS);
  EXPECT_EQ(class_thrown_by([] { (void)balanced(0, {0}); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([] { (void)balanced(-4, {0}); }), MPI_ERR_ARG);
}

}  // namespace
