#include "comm/start/lane_count.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace peal {
namespace {

std::size_t wanted(const char* lanes, const char* async, bool threads) {
  setenv("PEAL_LANES", lanes, 1);
  setenv("PEAL_ASYNC", async, 1);
  const job_settings settings = job_settings::from_environment();
  unsetenv("PEAL_LANES");
  unsetenv("PEAL_ASYNC");
  return lane_count_wanted(settings, threads);
}

TEST(lane_count, one_where_one_thread_calls_or_a_helper_is_at_work) {
  EXPECT_EQ(wanted("4", "0", false), 1u);
  EXPECT_EQ(wanted("4", "1", true), 1u);
  EXPECT_EQ(wanted("4", "0", true), 4u);
  EXPECT_EQ(wanted("16", "0", true), 16u);
}

TEST(lane_count, by_itself_as_many_as_there_are_cores_but_few) {
  const std::size_t found = wanted("auto", "0", true);
  EXPECT_GE(found, 1u);
  EXPECT_LE(found, most_lanes_by_itself);
}

TEST(lane_count, the_smallest_wins_and_the_dead_have_no_say) {
  std::vector<std::optional<std::string>> told{"4|A=1;", std::nullopt, "2|", "16|B=2;"};
  EXPECT_EQ(take_lane_count(told), 2u);
  EXPECT_EQ(told[0], "A=1;");
  EXPECT_FALSE(told[1].has_value());
  EXPECT_EQ(told[2], "");
  EXPECT_EQ(told[3], "B=2;");
}

}  // namespace
}  // namespace peal
