#include "mpi/environment/fortran_abi.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;

TEST(fortran_abi, info_is_told_once_and_given_as_it_was) {
  EXPECT_FALSE(fortran_info());
  info told, other;
  told.set("mpi_integer_size", "4");
  told.set("mpi_real_size", "4");
  other.set("mpi_real_size", "8");
  set_fortran_info(told);
  EXPECT_EQ(*fortran_info()->find("mpi_integer_size"), "4");
  EXPECT_EQ(fortran_info()->size(), 2);
  EXPECT_EQ(class_thrown_by([&] { set_fortran_info(told); }), MPI_SUCCESS);
  EXPECT_EQ(class_thrown_by([&] { set_fortran_info(other); }), MPI_ERR_ABI);
  EXPECT_EQ(*fortran_info()->find("mpi_real_size"), "4");
}

TEST(fortran_abi, logical_values_are_told_once_and_given_as_they_were) {
  const std::int64_t yes = -1, no = 0;
  std::int64_t told_yes = 7, told_no = 7;
  EXPECT_FALSE(get_fortran_booleans(8, &told_yes, &told_no));
  EXPECT_EQ(told_yes, 7);
  EXPECT_EQ(class_thrown_by([&] { set_fortran_booleans(3, &yes, &no); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown_by([&] { set_fortran_booleans(8, nullptr, &no); }), MPI_ERR_ARG);
  set_fortran_booleans(8, &yes, &no);
  EXPECT_TRUE(get_fortran_booleans(8, &told_yes, &told_no));
  EXPECT_EQ(told_yes, -1);
  EXPECT_EQ(told_no, 0);
  EXPECT_EQ(class_thrown_by([&] { set_fortran_booleans(8, &no, &yes); }), MPI_ERR_ABI);
  EXPECT_EQ(class_thrown_by([&] { (void)get_fortran_booleans(4, &told_yes, &told_no); }),
            MPI_ERR_ABI);
}

TEST(fortran_abi, the_sizes_of_the_abi_are_those_of_its_types) {
  EXPECT_EQ(*abi_info().find("mpi_aint_size"), "8");
  EXPECT_EQ(*abi_info().find("mpi_count_size"), "8");
  EXPECT_EQ(*abi_info().find("mpi_offset_size"), "8");
}

}  // namespace
