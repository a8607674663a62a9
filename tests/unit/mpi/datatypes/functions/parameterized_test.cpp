#include <gtest/gtest.h>
#include <mpi.h>

namespace {

TEST(parameterized_functions, tell_a_type_or_why_there_is_none) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  int size = 0;
  EXPECT_EQ(MPI_Type_create_f90_complex(6, 37, &made), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_size(made, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 8);
  EXPECT_EQ(MPI_Type_create_f90_integer(9, &made), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_size(made, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 4);
  EXPECT_EQ(MPI_Type_create_f90_real(100, 37, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_f90_real(6, 37, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &made), MPI_SUCCESS);
  EXPECT_EQ(made, MPI_REAL8);
  EXPECT_EQ(MPI_Type_match_size(MPI_TYPECLASS_REAL, 5, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_get_value_index(MPI_FLOAT, MPI_INT, &made), MPI_SUCCESS);
  EXPECT_EQ(made, MPI_FLOAT_INT);
  EXPECT_EQ(MPI_Type_get_value_index(MPI_FLOAT, MPI_DATATYPE_NULL, &made), MPI_ERR_TYPE);
}

}  // namespace
