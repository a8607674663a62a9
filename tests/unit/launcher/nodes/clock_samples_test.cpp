#include "nodes/clock_samples.hpp"

#include <gtest/gtest.h>

namespace peal::launcher {
namespace {

TEST(clock_samples, half_of_the_way_there_and_back_is_the_most_by_which_a_sample_is_wrong) {
  // The node is 5000 ahead, whatever part of the 200 the question took.
  for (const std::int64_t way : {0, 50, 100, 200}) {
    const clock_sample made = sample_of(1000, 1000 + way + 5000, 1200);
    EXPECT_LE(std::abs(made.ahead - 5000), made.error) << way;
    EXPECT_LE(made.error, 101);
  }
}

TEST(clock_samples, clocks_that_go_apart_are_followed_between_two_samples) {
  clock_of_node clock;
  EXPECT_EQ(clock.here(77), 77);
  clock.add({.at = 3'000'000, .ahead = 1300, .error = 4});
  clock.add({.at = 1'000'000, .ahead = 1100, .error = 9});  // they need not come by time
  EXPECT_EQ(clock.here(1'000'000), 1'000'000 - 1100);
  EXPECT_EQ(clock.here(2'000'000), 2'000'000 - 1200);
  EXPECT_EQ(clock.here(3'000'000), 3'000'000 - 1300);
  EXPECT_EQ(clock.here(500'000), 500'000 - 1100);
  EXPECT_EQ(clock.here(9'000'000), 9'000'000 - 1300);
  EXPECT_EQ(clock.error(), 9);
}

TEST(clock_samples, samples_come_back_as_they_were_written) {
  node_clocks all;
  all["n1"].add({10, -20, 30});
  all["n1"].add({40, -50, 60});
  all["node-2.x"].add({1, 2, 3});
  const node_clocks read = clocks_in(text_of(all));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read.at("n1").samples(), all["n1"].samples());
  EXPECT_EQ(read.at("node-2.x").samples(), all["node-2.x"].samples());
  EXPECT_TRUE(clocks_in("nonsense").empty());
}

}  // namespace
}  // namespace peal::launcher
