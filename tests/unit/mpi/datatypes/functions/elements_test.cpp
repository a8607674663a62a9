#include <gtest/gtest.h>

#include <climits>

#include "mpi/support/status.hpp"

namespace {

MPI_Status status_of(std::int64_t bytes) {
  MPI_Status made = peal::mpi::empty_status();
  peal::mpi::set_bytes(made, bytes);
  return made;
}
int count_of(std::int64_t bytes, MPI_Datatype type) {
  const MPI_Status status = status_of(bytes);
  int small = -1;
  MPI_Count large = -1;
  EXPECT_EQ(MPI_Get_count(&status, type, &small), MPI_SUCCESS);
  EXPECT_EQ(MPI_Get_count_c(&status, type, &large), MPI_SUCCESS);
  EXPECT_EQ(small, large);
  return small;
}
int elements_of(std::int64_t bytes, MPI_Datatype type) {
  const MPI_Status status = status_of(bytes);
  int small = -1;
  MPI_Count large = -1, deprecated = -1;
  EXPECT_EQ(MPI_Get_elements(&status, type, &small), MPI_SUCCESS);
  EXPECT_EQ(MPI_Get_elements_c(&status, type, &large), MPI_SUCCESS);
  EXPECT_EQ(MPI_Get_elements_x(&status, type, &deprecated), MPI_SUCCESS);
  EXPECT_EQ(small, large);
  EXPECT_EQ(large, deprecated);
  return small;
}

TEST(status_elements, are_counted_whole_and_in_parts) {
  EXPECT_EQ(count_of(24, MPI_DOUBLE_INT), 2);
  EXPECT_EQ(count_of(20, MPI_DOUBLE_INT), MPI_UNDEFINED);
  EXPECT_EQ(elements_of(20, MPI_DOUBLE_INT), 3);
  EXPECT_EQ(elements_of(21, MPI_DOUBLE_INT), MPI_UNDEFINED);
  EXPECT_EQ(elements_of(24, MPI_DOUBLE_INT), 4);
  EXPECT_EQ(count_of(0, MPI_INT), 0);
  EXPECT_EQ(count_of(-1, MPI_INT), MPI_UNDEFINED) << "the status does not tell";
  EXPECT_EQ(elements_of(-1, MPI_INT), MPI_UNDEFINED);
}

TEST(status_elements, of_an_empty_type_are_none) {
  MPI_Datatype empty = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(0, MPI_INT, &empty), MPI_SUCCESS);
  EXPECT_EQ(count_of(0, empty), 0);
  EXPECT_EQ(count_of(4, empty), MPI_UNDEFINED);
  EXPECT_EQ(elements_of(0, empty), 0);
  EXPECT_EQ(elements_of(4, empty), MPI_UNDEFINED);
  MPI_Status status = status_of(0);
  EXPECT_EQ(MPI_Status_set_elements(&status, empty, 0), MPI_SUCCESS);
  EXPECT_EQ(MPI_Status_set_elements(&status, empty, 1), MPI_ERR_COUNT);
  MPI_Type_free(&empty);
}

TEST(status_elements, that_an_int_does_not_hold_are_undefined) {
  const MPI_Status status = status_of(std::int64_t{INT_MAX} + 1);
  int small = 0;
  MPI_Count large = 0;
  EXPECT_EQ(MPI_Get_count(&status, MPI_CHAR, &small), MPI_SUCCESS);
  EXPECT_EQ(small, MPI_UNDEFINED);
  EXPECT_EQ(MPI_Get_elements(&status, MPI_CHAR, &small), MPI_SUCCESS);
  EXPECT_EQ(small, MPI_UNDEFINED);
  EXPECT_EQ(MPI_Get_count_c(&status, MPI_CHAR, &large), MPI_SUCCESS);
  EXPECT_EQ(large, MPI_Count{INT_MAX} + 1);
}

TEST(status_elements, are_told_as_they_were_set) {
  MPI_Status status = status_of(0);
  int count = 0;
  EXPECT_EQ(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 3), MPI_SUCCESS);
  EXPECT_EQ(peal::mpi::bytes_of(status), 20);
  EXPECT_EQ(MPI_Get_elements(&status, MPI_DOUBLE_INT, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 3);
  for (const auto function : {MPI_Status_set_elements_c, MPI_Status_set_elements_x}) {
    EXPECT_EQ(function(&status, MPI_SHORT, MPI_Count{1} << 40), MPI_SUCCESS);
    EXPECT_EQ(peal::mpi::bytes_of(status), std::int64_t{1} << 41);
    EXPECT_EQ(function(&status, MPI_SHORT, INT64_MAX), MPI_ERR_VALUE_TOO_LARGE);
    EXPECT_EQ(function(&status, MPI_SHORT, -1), MPI_ERR_COUNT);
  }
}

TEST(status_elements, fail_with_the_class_of_the_wrong_argument) {
  MPI_Status status = status_of(0);
  int count = 0;
  EXPECT_EQ(MPI_Get_count(&status, MPI_DATATYPE_NULL, &count), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Get_count(MPI_STATUS_IGNORE, MPI_INT, &count), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Get_elements(&status, MPI_INT, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Status_set_elements(nullptr, MPI_INT, 1), MPI_ERR_ARG);
}

}  // namespace
