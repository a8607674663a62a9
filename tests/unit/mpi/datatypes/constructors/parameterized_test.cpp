#include "mpi/datatypes/constructors/parameterized.hpp"

#include <gtest/gtest.h>

#include "../expect_failure.hpp"

namespace {

using namespace peal::mpi;

const definition& type(MPI_Datatype handle) { return datatype_of(handle).type(); }

TEST(parameterized, real_types_have_the_precision_and_range_that_are_asked_for) {
  EXPECT_EQ(type(f90_real(6, 37)).size(), 4);
  EXPECT_EQ(type(f90_real(MPI_UNDEFINED, 38)).size(), 8);
  EXPECT_EQ(type(f90_real(15, MPI_UNDEFINED)).size(), 8);
  EXPECT_EQ(type(f90_real(33, 4931)).size(), 16);
  EXPECT_EQ(type(f90_complex(15, 307)).size(), 16);
  EXPECT_EQ(type(f90_integer(4)).size(), 2);
  EXPECT_EQ(type(f90_integer(19)).size(), 16);
  EXPECT_EQ(class_thrown([] { (void)f90_real(34, 10); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown([] { (void)f90_complex(MPI_UNDEFINED, 5000); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown([] { (void)f90_real(MPI_UNDEFINED, MPI_UNDEFINED); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown([] { (void)f90_integer(39); }), MPI_ERR_ARG);
}

TEST(parameterized, the_same_question_has_the_same_answer) {
  EXPECT_EQ(f90_real(5, 30), f90_real(5, 30));
  EXPECT_NE(f90_real(5, 30), f90_real(5, 31));
  EXPECT_NE(f90_real(5, 30), f90_complex(5, 30));
  const definition& made = type(f90_real(5, 30));
  EXPECT_EQ(made.predefined(), f90_real(5, 30));
  EXPECT_EQ(made.made_with().combiner, MPI_COMBINER_F90_REAL);
  EXPECT_EQ(made.made_with().integers, (std::vector<int>{5, 30}));
  EXPECT_TRUE(committed_datatype_of(f90_real(5, 30)).is_predefined());
  EXPECT_EQ(made.basic()->scalar, peal::detail::scalar::f32) << "reductions know it";
}

TEST(parameterized, match_size_finds_the_named_type) {
  EXPECT_EQ(match_size(MPI_TYPECLASS_INTEGER, 8), MPI_INTEGER8);
  EXPECT_EQ(match_size(MPI_TYPECLASS_REAL, 4), MPI_REAL4);
  EXPECT_EQ(match_size(MPI_TYPECLASS_COMPLEX, 8), MPI_COMPLEX8);
  EXPECT_EQ(match_size(MPIX_TYPECLASS_LOGICAL, 2), MPI_LOGICAL2);
  EXPECT_EQ(class_thrown([] { (void)match_size(MPI_TYPECLASS_REAL, 2); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown([] { (void)match_size(MPI_TYPECLASS_INTEGER, 3); }), MPI_ERR_ARG);
  EXPECT_EQ(class_thrown([] { (void)match_size(7, 4); }), MPI_ERR_ARG);
}

TEST(parameterized, pairs_are_named_ones_where_there_are) {
  EXPECT_EQ(value_index_type(MPI_DOUBLE, MPI_INT), MPI_DOUBLE_INT);
  EXPECT_EQ(value_index_type(MPI_INTEGER, MPI_INTEGER), MPI_2INTEGER);
  const MPI_Datatype made = value_index_type(MPI_FLOAT, MPI_LONG);
  EXPECT_EQ(made, value_index_type(MPI_FLOAT, MPI_LONG));
  EXPECT_EQ(type(made).pair()->index_offset, 8);
  EXPECT_EQ(type(made).extent(), 16);
  EXPECT_EQ(type(made).made_with().combiner, MPI_COMBINER_VALUE_INDEX);
  EXPECT_EQ(value_index_type(MPI_FLOAT, MPI_DOUBLE), MPI_DATATYPE_NULL);
  EXPECT_EQ(class_thrown([] { (void)value_index_type(MPI_DATATYPE_NULL, MPI_INT); }), MPI_ERR_TYPE);
  EXPECT_EQ(class_thrown([] { (void)value_index_type(MPI_2INT, MPI_INT); }), MPI_ERR_TYPE);
}

}  // namespace
