#include "mpi/datatypes/packing/plan.hpp"

#include <gtest/gtest.h>

#include "mpi/datatypes/constructors/arrays.hpp"
#include "mpi/datatypes/datatype.hpp"

namespace {

using namespace peal::mpi;
using list = std::vector<std::int64_t>;

const definition_pointer& type(MPI_Datatype handle) { return datatype_of(handle).shared; }

TEST(plan, of_predefined_types_is_one_block) {
  for (const MPI_Datatype each : {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_COMPLEX32,
                                  MPI_2INT, MPI_BYTE, MPI_PACKED})
    EXPECT_TRUE(type(each)->plan().is_contiguous());
  EXPECT_FALSE(type(MPI_DOUBLE_INT)->plan().is_contiguous()) << "4 bytes at its end are a gap";
  EXPECT_TRUE(type(MPI_DOUBLE_INT)->plan().is_one_block());
  EXPECT_FALSE(type(MPI_SHORT_INT)->plan().is_one_block());
}

TEST(plan, merges_what_touches) {
  const auto whole_vector = make_vector(form::small, 10, 4, 4, type(MPI_INT));
  EXPECT_TRUE(whole_vector->plan().is_contiguous());
  const auto whole_struct = make_struct(form::small, list{1, 2, 1}, list{0, 4, 12},
                                        {type(MPI_INT), type(MPI_INT), type(MPI_FLOAT)});
  EXPECT_TRUE(whole_struct->plan().is_contiguous());
  const auto all = make_subarray(form::small, list{4, 5, 6}, list{4, 5, 6}, list{0, 0, 0},
                                 MPI_ORDER_C, type(MPI_DOUBLE));
  EXPECT_TRUE(all->plan().is_contiguous());
  const auto behind = make_hindexed(form::small, list{3}, list{100}, type(MPI_INT));
  EXPECT_TRUE(behind->plan().is_contiguous());
  EXPECT_EQ(behind->plan().offset(), 100);
}

TEST(plan, does_not_take_a_block_with_gaps_for_contiguous) {
  EXPECT_FALSE(make_resized(form::small, 0, 8, type(MPI_INT))->plan().is_contiguous());
  EXPECT_FALSE(make_resized(form::small, 0, 0, type(MPI_INT))->plan().is_contiguous());
  const auto backwards = make_hvector(form::small, 2, 1, -4, type(MPI_INT));
  EXPECT_FALSE(backwards->plan().is_one_block());
}

TEST(plan, is_as_long_as_the_pattern_and_not_as_the_data) {
  EXPECT_EQ(make_vector(form::small, 1000, 1, 5, type(MPI_INT))->plan().step_count(), 1U);
  const auto box = make_subarray(form::small, list{100, 100, 100}, list{50, 50, 50}, list{1, 2, 3},
                                 MPI_ORDER_C, type(MPI_DOUBLE));
  EXPECT_LE(box->plan().step_count(), 2U);
  list regular;
  for (std::int64_t each = 0; each != 1000; ++each) regular.push_back(3 * each);
  EXPECT_EQ(make_indexed_block(form::small, 1, regular, type(MPI_INT))->plan().step_count(), 1U);
  EXPECT_EQ(make_indexed_block(form::small, 3, regular, type(MPI_INT))->plan().step_count(), 1U);
}

TEST(plan, lists_short_pieces_of_different_lengths) {
  const auto irregular = make_indexed(form::small, list{1, 3, 2, 2, 8, 1},
                                      list{0, 3, 7, 12, 20, 40}, type(MPI_DOUBLE));
  const plan& one = irregular->plan();
  ASSERT_EQ(one.step_count(), 1U);
  const plan_step& step = one.steps()[0];
  EXPECT_EQ(step.kind, step_kind::pieces);
  EXPECT_EQ(step.last - step.first, 6U);
  EXPECT_EQ(step.longest, 64U);
  EXPECT_EQ(step.length, 17 * 8);
  EXPECT_EQ(one.pieces()[step.last].before, 17U * 8) << "where the list ends";
  EXPECT_EQ(one.whole(10).count, 10);
  EXPECT_FALSE(one.whole(10).is_group());
}

TEST(plan, lists_no_long_pieces_and_none_that_are_far_away) {
  const auto with_long =
      make_indexed(form::small, list{1, 9, 2, 1}, list{0, 3, 17, 22}, type(MPI_DOUBLE));
  ASSERT_EQ(with_long->plan().step_count(), 3U) << "the long one is a step of its own";
  EXPECT_EQ(with_long->plan().steps()[0].kind, step_kind::run);
  EXPECT_EQ(with_long->plan().steps()[1].kind, step_kind::run);
  EXPECT_EQ(with_long->plan().steps()[2].kind, step_kind::pieces);
  const std::int64_t far = std::int64_t{1} << 40;
  const auto apart = make_hindexed(form::small, list{1, 2, 1, 2},
                                   list{0, far, 2 * far, 2 * far + 9}, type(MPI_INT));
  ASSERT_EQ(apart->plan().step_count(), 3U);
  EXPECT_EQ(apart->plan().steps()[2].kind, step_kind::pieces);
}

TEST(plan, makes_copies_of_a_column_one_run) {
  const auto column = make_resized(form::small, 0, 80, type(MPI_DOUBLE));
  EXPECT_FALSE(column->plan().whole(50).is_group());
  EXPECT_EQ(column->plan().whole(50).count, 50);
  const auto rows =
      make_resized(form::small, 0, 96, make_vector(form::small, 4, 1, 3, type(MPI_DOUBLE)));
  EXPECT_FALSE(rows->plan().whole(50).is_group());
  EXPECT_EQ(rows->plan().whole(50).count, 200);
}

TEST(plan, of_a_type_that_doubles_with_each_level_stays_short) {
  definition_pointer nested = type(MPI_CHAR);
  for (int each = 0; each != 38; ++each)
    nested = make_hindexed(form::small, list{1, 1, 1},
                           list{0, (std::int64_t{1} << each) * 7, (std::int64_t{1} << each) * 9},
                           nested);
  EXPECT_LT(nested->plan().step_count(), 2000U);
  EXPECT_EQ(nested->plan().size(), nested->size());
}

}  // namespace
