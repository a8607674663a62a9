#include "shown/process_stat.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace peal::launcher {
namespace {

TEST(process_stat, it_tells_of_this_process) {
  const auto self = process_stat::of(::getpid());
  ASSERT_TRUE(self.has_value());
  EXPECT_EQ(self->state, 'R');
  EXPECT_EQ(self->parent, ::getppid());
  EXPECT_GT(self->start, 0u);
  const auto all = all_processes();
  EXPECT_EQ(std::ranges::count(all, ::getpid()), 1);
}

TEST(process_stat, a_process_that_is_not_there_tells_nothing) {
  EXPECT_FALSE(process_stat::of(-1).has_value());
}

}  // namespace
}  // namespace peal::launcher
