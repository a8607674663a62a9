#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "mpi/datatypes/datatype.hpp"

namespace {

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  EXPECT_EQ(MPI_Type_get_name(type, name, &length), MPI_SUCCESS);
  EXPECT_EQ(static_cast<int>(std::string{name}.size()), length);
  return name;
}

TEST(datatype_handles, are_null_once_freed) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &made), MPI_SUCCESS);
  MPI_Datatype other = made;
  EXPECT_EQ(MPI_Type_free(&made), MPI_SUCCESS);
  EXPECT_EQ(made, MPI_DATATYPE_NULL);
  EXPECT_EQ(MPI_Type_free(&other), MPI_ERR_TYPE) << "freed already";
  EXPECT_EQ(MPI_Type_commit(&other), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_free(&made), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_free(nullptr), MPI_ERR_ARG);
}

TEST(datatype_handles, of_predefined_types_stay) {
  MPI_Datatype predefined = MPI_INT, unnamed = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_f90_real(6, 30, &unnamed), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free(&predefined), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_free(&unnamed), MPI_ERR_TYPE);
  EXPECT_EQ(predefined, MPI_INT);
  EXPECT_EQ(MPI_Type_commit(&predefined), MPI_SUCCESS);
}

TEST(datatype_handles, of_a_copy_are_committed_as_the_original) {
  MPI_Datatype made = MPI_DATATYPE_NULL, before = MPI_DATATYPE_NULL, after = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &made), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_dup(made, &before), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_commit(&made), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_dup(made, &after), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free(&made), MPI_SUCCESS);
  EXPECT_FALSE(peal::mpi::datatype_of(before).committed);
  EXPECT_TRUE(peal::mpi::datatype_of(after).committed);
  MPI_Type_free(&before);
  MPI_Type_free(&after);
  EXPECT_EQ(MPI_Type_dup(MPI_DATATYPE_NULL, &after), MPI_ERR_TYPE);
}

TEST(datatype_handles, have_names) {
  EXPECT_EQ(name_of(MPI_INT), "MPI_INT");
  EXPECT_EQ(name_of(MPI_2DOUBLE_PRECISION), "MPI_2DOUBLE_PRECISION");
  EXPECT_EQ(name_of(MPI_DATATYPE_NULL), "MPI_DATATYPE_NULL");
  MPI_Datatype made = MPI_DATATYPE_NULL, copy = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &made), MPI_SUCCESS);
  EXPECT_EQ(name_of(made), "");
  EXPECT_EQ(MPI_Type_set_name(made, "two ints"), MPI_SUCCESS);
  EXPECT_EQ(name_of(made), "two ints");
  ASSERT_EQ(MPI_Type_dup(made, &copy), MPI_SUCCESS);
  EXPECT_EQ(name_of(copy), "");
  EXPECT_EQ(MPI_Type_set_name(made, std::string(1000, 'x').c_str()), MPI_SUCCESS);
  EXPECT_EQ(name_of(made), std::string(MPI_MAX_OBJECT_NAME - 1, 'x'));
  EXPECT_EQ(MPI_Type_set_name(made, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_set_name(MPI_DATATYPE_NULL, "x"), MPI_ERR_TYPE);
  MPI_Type_free(&made);
  MPI_Type_free(&copy);
}

}  // namespace
