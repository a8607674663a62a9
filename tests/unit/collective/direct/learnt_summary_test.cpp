// Summaries of reviews: they join to the same in whatever order.
#include "collective/direct/learnt_summary.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace peal::direct;

told_times some(std::mt19937& random, std::size_t shapes) {
  told_times said{};
  std::uint16_t shape = 1;
  const std::size_t count = random() % (most_told + 1);
  for (std::size_t each = 0; each != count; ++each) {
    shape = static_cast<std::uint16_t>(shape + 1 + random() % shapes);
    said[each] = {shape, static_cast<std::uint8_t>(random() % 3), random() % 2 == 0,
                  static_cast<float>(random() % 1000) / 37 - 8};
  }
  std::ranges::shuffle(said, random);
  return said;
}

bool same(const learnt_summary& a, const learnt_summary& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(learnt_summary, holds_what_the_ranks_said) {
  learnt_summary all{{told_time{5, 1, true, 2.5F}, {}, {3, 0, true, -1.F}}};
  all.join(learnt_summary{{told_time{5, 1, false, 3.5F}}});
  EXPECT_EQ(all.of_ways[0].shape(), 3);
  EXPECT_FLOAT_EQ(all.of_ways[0].mean_cost(), -1);
  EXPECT_FLOAT_EQ(all.of_ways[0].most_cost(), -1);
  EXPECT_EQ(all.of_ways[1].shape(), 5);
  EXPECT_EQ(all.of_ways[1].way(), 1);
  EXPECT_FLOAT_EQ(all.of_ways[1].mean_cost(), 3);
  EXPECT_FLOAT_EQ(all.of_ways[1].most_cost(), 3.5);
  EXPECT_EQ(all.of_ways[1].ranks, 2U);
  EXPECT_EQ(all.of_ways[0].unsettled, 0U);
  EXPECT_EQ(all.of_ways[1].unsettled, 1U);
  EXPECT_EQ(all.of_ways[2].code, 0U);
}

// Ranks that were refused calls tell of other shapes than the others, and there may be more than
// find room.
TEST(learnt_summary, joins_to_the_same_bits_in_any_order) {
  std::mt19937 random{5};
  for (int turn = 0; turn != 500; ++turn) {
    std::vector<learnt_summary> said;
    for (int rank = 0; rank != 9; ++rank) {
      said.emplace_back(some(random, turn % 2 == 0 ? 3 : 20));
      if (random() % 4 != 0) said.back().review_took = random() % 1000;
      said.back().window_took = random() % 1000;
    }
    learnt_summary one_by_one;
    for (const learnt_summary& each : said) one_by_one.join(each);
    std::ranges::shuffle(said, random);
    while (said.size() != 1) {  // some two of them
      const std::size_t first = random() % (said.size() - 1);
      said[first].join(said[first + 1]);
      said.erase(said.begin() + static_cast<std::ptrdiff_t>(first) + 1);
      if (random() % 2 == 0) std::ranges::shuffle(said, random);
    }
    ASSERT_TRUE(same(one_by_one, said.front())) << turn;
  }
}

TEST(learnt_summary, nothing_joined_changes_nothing) {
  std::mt19937 random{6};
  const learnt_summary one{some(random, 4)};
  learnt_summary all;
  all.join(one);
  EXPECT_TRUE(same(all, one));
  all.join(learnt_summary{});
  EXPECT_TRUE(same(all, one));
}

}  // namespace
