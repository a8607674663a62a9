#include "comm/context_pool.hpp"

#include <gtest/gtest.h>

#include <set>

namespace peal {
namespace {

TEST(context_pool, processes_offer_different_numbers) {
  std::set<std::uint32_t> seen{0};  // the world's
  for (peer_id self = 0; self != 3; ++self) {
    context_pool pool{self, 3, std::nullopt};
    for (int i = 0; i != 100; ++i) {
      const auto got = pool.take();
      EXPECT_FALSE(got.used_before);
      EXPECT_EQ(got.context % contexts_of_one, 0u);
      EXPECT_TRUE(seen.insert(got.context).second);
    }
  }
}

TEST(context_pool, what_nobody_took_is_offered_again) {
  context_pool pool{0, 2, 1};
  const auto first = pool.take();
  EXPECT_EQ(pool.take().context, 0u);
  pool.give_back(first);
  const auto again = pool.take();
  EXPECT_EQ(again.context, first.context);
  EXPECT_FALSE(again.used_before);
}

TEST(context_pool, one_that_was_not_used_before_is_none_that_was) {
  context_pool pool{0, 2, 2};
  const auto a = pool.take();
  ASSERT_TRUE(pool.hold(a.context));
  pool.free(a.context, true);
  const auto b = pool.take_unused();
  EXPECT_NE(b.context, 0u);
  EXPECT_FALSE(b.used_before);
  EXPECT_NE(b.context, a.context);
  EXPECT_EQ(pool.take_unused().context, 0u);
  EXPECT_EQ(pool.take().context, a.context);
}

TEST(context_pool, used_ones_come_after_the_unused_and_the_oldest_first) {
  context_pool pool{1, 2, 3};
  const auto a = pool.take(), b = pool.take();
  ASSERT_TRUE(pool.hold(a.context));
  ASSERT_TRUE(pool.hold(b.context));
  pool.free(b.context, true);
  pool.free(a.context, true);
  EXPECT_FALSE(pool.take().used_before);
  const auto again = pool.take();
  EXPECT_TRUE(again.used_before);
  EXPECT_EQ(again.context, b.context);
  EXPECT_EQ(pool.take().context, a.context);
  EXPECT_EQ(pool.take().context, 0u);
  pool.give_back(again);
  EXPECT_EQ(pool.take().context, b.context);
}

TEST(context_pool, very_many_free_ones_are_used_though_there_are_others) {
  context_pool pool{0, 1, std::nullopt};
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i != 2 * context_pool::most_free; ++i) {
    const auto got = pool.take();
    seen.insert(got.context);
    ASSERT_TRUE(pool.hold(got.context));
    pool.free(got.context, true);
  }
  EXPECT_EQ(seen.size(), context_pool::most_free);
}

TEST(context_pool, what_is_held_here_is_not_held_twice) {
  context_pool pool{0, 2, std::nullopt};
  EXPECT_TRUE(pool.hold(16));
  EXPECT_FALSE(pool.hold(16));
  pool.let_go(16);
  EXPECT_TRUE(pool.hold(16));
  pool.free(16, true);  // another process's, which is not offered here
  EXPECT_TRUE(pool.hold(16));
}

TEST(context_pool, a_spoilt_one_is_never_used_again) {
  context_pool pool{0, 2, 1};
  const auto only = pool.take();
  ASSERT_TRUE(pool.hold(only.context));
  pool.free(only.context, false);
  EXPECT_EQ(pool.take().context, 0u);
  EXPECT_FALSE(pool.hold(only.context));
}

TEST(context_pool, shares_of_large_jobs_end_before_the_numbers_do) {
  constexpr std::uint32_t processes = 1U << 28;
  context_pool last{processes - 1, processes, std::nullopt};
  const auto only = last.take();
  EXPECT_EQ(only.context, contexts_of_one * processes);
  EXPECT_EQ(last.take().context, 0u);
}

}  // namespace
}  // namespace peal
