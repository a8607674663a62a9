#include "hang/rank_ranges.hpp"

#include <gtest/gtest.h>

namespace peal::launcher {
namespace {

TEST(rank_ranges, runs_of_three_and_more_are_folded) {
  EXPECT_EQ(ranges_of({}), "");
  EXPECT_EQ(ranges_of({3}), "3");
  EXPECT_EQ(ranges_of({3, 4}), "3,4");
  EXPECT_EQ(ranges_of({5, 0, 2, 3, 4, 9}), "0,2-5,9");
}

TEST(rank_ranges, one_rank_is_no_plural) {
  EXPECT_EQ(words_of({3}), "rank 3");
  EXPECT_EQ(words_of({3, 1}), "ranks 1,3");
}

}  // namespace
}  // namespace peal::launcher
