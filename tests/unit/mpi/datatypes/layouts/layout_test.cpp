#include "mpi/datatypes/layouts/layout.hpp"

#include <gtest/gtest.h>

#include "../expect_failure.hpp"

namespace {

using namespace peal::mpi;

constexpr basic_type one_byte = integer<char>();

TEST(layout, ends_where_the_next_one_is_aligned) {
  const layout made =
      assemble({layout_of(double_number), layout_of(one_byte)}, {{0, 1, 0, 0}, {8, 1, 0, 1}});
  EXPECT_EQ(made.size, 9);
  EXPECT_EQ(made.extent(), 16);
  EXPECT_EQ(made.true_extent(), 9);
}

TEST(layout, has_the_bounds_that_were_given_whatever_else_is_in_it) {
  const layout given = with_bounds(layout_of(one_byte), -2, 16);
  const layout made = assemble({given, layout_of(double_number)}, {{10, 1, 0, 0}, {100, 1, 0, 1}});
  EXPECT_EQ(made.lower, 8);
  EXPECT_EQ(made.upper, 24);
  EXPECT_EQ(made.true_lower, 10);
  EXPECT_EQ(made.true_upper, 108);
}

TEST(layout, without_elements_keeps_the_bounds_that_were_given) {
  const layout nothing = repeated(layout_of(double_number), 0, 8);
  EXPECT_EQ(nothing.extent(), 0);
  const layout wide = contiguous_layout(with_bounds(nothing, 0, 24), 3);
  EXPECT_EQ(wide.extent(), 72);
  EXPECT_EQ(wide.size, 0);
  EXPECT_EQ(wide.true_extent(), 0);
}

TEST(layout, fails_rather_than_overflows) {
  constexpr std::int64_t most = INT64_MAX;
  const layout wide = layout_of(double_number);
  const auto class_of_repeated = [&](std::int64_t count, std::int64_t stride) {
    return class_thrown([&] { (void)repeated(wide, count, stride); });
  };
  EXPECT_EQ(class_of_repeated(most, 0), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(class_of_repeated(most / 8, 16), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(class_of_repeated(3, most / 2 + 1), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(class_of_repeated(3, INT64_MIN), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(class_of_repeated(2, most - 4), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(class_of_repeated(2, most - 8), MPI_ERR_VALUE_TOO_LARGE) << "its end is not aligned";
  EXPECT_EQ(class_of_repeated(2, most - 15), MPI_SUCCESS);
  EXPECT_EQ(class_of_repeated(1, most), MPI_SUCCESS);
  EXPECT_EQ(class_of_repeated(0, INT64_MIN), MPI_SUCCESS);
  EXPECT_EQ(class_thrown([&] { (void)with_bounds(wide, most, 1); }), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(class_thrown([&] {
              (void)assemble({wide, wide}, {{INT64_MIN, 1, 0, 0}, {INT64_MAX - 8, 1, 0, 1}});
            }),
            MPI_ERR_VALUE_TOO_LARGE);
}

TEST(layout, is_not_nested_without_end) {
  layout nested = layout_of(one_byte);
  for (int each = 0; each != most_nested; ++each)
    nested = repeated(nested, 1, 0), nested = assemble({nested}, {{1, 1, 0, 0}});
  EXPECT_EQ(nested.true_lower, most_nested);
  EXPECT_EQ(class_thrown([&] { (void)assemble({nested}, {{1, 1, 0, 0}}); }), MPI_ERR_OTHER);
}

}  // namespace
