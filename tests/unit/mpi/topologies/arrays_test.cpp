#include "mpi/topologies/arrays.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;

TEST(arrays, what_is_empty_needs_no_memory) {
  EXPECT_TRUE(array_of(nullptr, 0, "dims").empty());
  EXPECT_EQ(class_thrown_by([] { (void)array_of(nullptr, 1, "dims"); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([] { tell({}, nullptr, 5, "dims", "maxdims"); }), MPI_SUCCESS);
  EXPECT_EQ(class_thrown_by([] { tell(std::array{1}, nullptr, 0, "dims", "maxdims"); }),
            MPI_SUCCESS);
  EXPECT_EQ(class_thrown_by([] { tell(std::array{1}, nullptr, 1, "dims", "maxdims"); }),
            MPI_ERR_ARG);
}

TEST(arrays, no_more_is_told_than_there_is_room_for) {
  const std::vector<int> from{1, 2, 3};
  std::array<int, 4> to{9, 9, 9, 9};
  tell(from, to.data(), 2, "dims", "maxdims");
  EXPECT_EQ(to, (std::array{1, 2, 9, 9}));
  tell(from, to.data(), 4, "dims", "maxdims");
  EXPECT_EQ(to, (std::array{1, 2, 3, 9}));
  EXPECT_EQ(class_thrown_by([&] { tell(from, to.data(), -1, "dims", "maxdims"); }), MPI_ERR_ARG);
}

}  // namespace
