// What needs no job: how extents are chosen.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <peal/topology.hpp>
#include <vector>

namespace {

TEST(balanced_extents, multiply_to_the_number_of_ranks_and_are_as_even_as_they_can_be) {
  using extents = std::vector<int>;
  EXPECT_EQ(peal::balanced_extents(1, 3), (extents{1, 1, 1}));
  EXPECT_EQ(peal::balanced_extents(6, 2), (extents{3, 2}));
  EXPECT_EQ(peal::balanced_extents(7, 2), (extents{7, 1}));
  EXPECT_EQ(peal::balanced_extents(12, 2), (extents{4, 3}));
  EXPECT_EQ(peal::balanced_extents(8, 3), (extents{2, 2, 2}));
  EXPECT_EQ(peal::balanced_extents(36, 2), (extents{6, 6}));
  EXPECT_EQ(peal::balanced_extents(65'536, 3), (extents{64, 32, 32}));
  EXPECT_EQ(peal::balanced_extents(2 * 3 * 5 * 7, 1), (extents{210}));
  // Where a prime factor more for the smallest extent would not do.
  EXPECT_EQ(peal::balanced_extents(72, 2), (extents{9, 8}));
  EXPECT_EQ(peal::balanced_extents(180, 2), (extents{15, 12}));
  EXPECT_EQ(peal::balanced_extents(2'147'483'647, 2), (extents{2'147'483'647, 1}));
  EXPECT_EQ(peal::balanced_extents(5040, 3), (extents{20, 18, 14}));
  for (int ranks = 1; ranks != 300; ++ranks)
    for (std::size_t dimensions = 1; dimensions != 5; ++dimensions) {
      const auto found = peal::balanced_extents(ranks, dimensions);
      ASSERT_EQ(found.size(), dimensions);
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), std::greater<>{}));
      EXPECT_EQ(std::accumulate(found.begin(), found.end(), 1, std::multiplies<>{}), ranks);
      if (dimensions != 2) continue;
      for (int each = found[1] + 1; each < found[0]; ++each)
        EXPECT_NE(ranks % each, 0) << ranks << " is better shared out by " << each;
    }
}

}  // namespace
