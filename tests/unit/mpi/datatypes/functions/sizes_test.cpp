#include <gtest/gtest.h>
#include <mpi.h>

#include <climits>
#include <cstdint>

namespace {

TEST(size_functions, tell_sizes_and_bounds) {
  MPI_Datatype made = MPI_DATATYPE_NULL, padded = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_hvector(2, 1, 12, MPI_INT, &made), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_resized(made, -4, 40, &padded), MPI_SUCCESS);
  int size = 0;
  MPI_Count count = 0, long_lower = 0, long_extent = 0;
  MPI_Aint lower = 0, extent = 0;
  EXPECT_EQ(MPI_Type_size(padded, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 8);
  EXPECT_EQ(MPI_Type_size_x(padded, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 8);
  EXPECT_EQ(MPI_Type_get_extent(padded, &lower, &extent), MPI_SUCCESS);
  EXPECT_EQ(lower, -4);
  EXPECT_EQ(extent, 40);
  EXPECT_EQ(MPI_Type_get_true_extent(padded, &lower, &extent), MPI_SUCCESS);
  EXPECT_EQ(lower, 0);
  EXPECT_EQ(extent, 16);
  for (const auto function : {MPI_Type_get_extent_c, MPI_Type_get_extent_x}) {
    EXPECT_EQ(function(padded, &long_lower, &long_extent), MPI_SUCCESS);
    EXPECT_EQ(long_lower, -4);
    EXPECT_EQ(long_extent, 40);
  }
  for (const auto function : {MPI_Type_get_true_extent_c, MPI_Type_get_true_extent_x}) {
    EXPECT_EQ(function(padded, &long_lower, &long_extent), MPI_SUCCESS);
    EXPECT_EQ(long_lower, 0);
    EXPECT_EQ(long_extent, 16);
  }
  MPI_Type_free(&made);
  MPI_Type_free(&padded);
}

TEST(size_functions, say_undefined_where_an_int_has_no_room) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &made), MPI_SUCCESS);
  int size = 0;
  MPI_Count count = 0;
  EXPECT_EQ(MPI_Type_size(made, &size), MPI_SUCCESS);
  EXPECT_EQ(size, MPI_UNDEFINED);
  EXPECT_EQ(MPI_Type_size_c(made, &count), MPI_SUCCESS);
  EXPECT_EQ(count, MPI_Count{INT_MAX} * 8);
  MPI_Type_free(&made);
  EXPECT_EQ(MPI_Type_size(MPI_REAL2, &size), MPI_SUCCESS);
  EXPECT_EQ(size, MPI_UNDEFINED) << "gfortran does not have it";
}

TEST(size_functions, fail_with_the_class_of_the_wrong_argument) {
  int size = 0;
  MPI_Aint bound = 0;
  EXPECT_EQ(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_size(MPI_INT, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_get_extent(MPI_INT, nullptr, &bound), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_get_true_extent(MPI_DATATYPE_NULL, &bound, &bound), MPI_ERR_TYPE);
}

TEST(size_functions, compute_with_addresses) {
  int numbers[4] = {};
  MPI_Aint first = 0, last = 0;
  EXPECT_EQ(MPI_Get_address(&numbers[0], &first), MPI_SUCCESS);
  EXPECT_EQ(MPI_Get_address(&numbers[3], &last), MPI_SUCCESS);
  EXPECT_EQ(MPI_Aint_diff(last, first), 12);
  EXPECT_EQ(MPI_Aint_add(first, 12), last);
  EXPECT_EQ(MPI_Aint_add(INTPTR_MAX, 1), INTPTR_MIN);
  EXPECT_EQ(MPI_Get_address(numbers, nullptr), MPI_ERR_ARG);
}

}  // namespace
