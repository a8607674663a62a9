#include <gtest/gtest.h>
#include <mpi.h>

#include "../support/modelled_objects.hpp"

namespace {

TEST(balanced_dims_calls, set_the_extents_that_are_0) {
  const peal::mpi::modelled_objects objects;
  int dims[] = {0, 2, 0};
  EXPECT_EQ(MPI_Dims_create(12, 3, dims), MPI_SUCCESS);
  EXPECT_EQ(dims[0], 3);
  EXPECT_EQ(dims[1], 2);
  EXPECT_EQ(dims[2], 2);
  EXPECT_EQ(MPI_Dims_create(1, 0, nullptr), MPI_SUCCESS);
}

TEST(balanced_dims_calls, refuse_wrong_arguments_and_leave_the_extents) {
  const peal::mpi::modelled_objects objects;
  int dims[] = {0, 5};
  EXPECT_EQ(MPI_Dims_create(12, 2, dims), MPI_ERR_DIMS);
  EXPECT_EQ(MPI_Dims_create(12, -1, dims), MPI_ERR_DIMS);
  EXPECT_EQ(MPI_Dims_create(12, 2, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(dims[0], 0);
}

}  // namespace
