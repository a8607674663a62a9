// How the receives of a shared queue are divided into windows.
#include "transport/verbs/endpoint/receive_budget.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace {

using namespace peal::verbs;

constexpr std::size_t uncounted = receive_budget::uncounted;

TEST(verbs_receive_budget, everybody_gets_the_largest_window_where_it_suffices) {
  receive_budget of{10 * 66, 64, 10};
  for (int each = 0; each < 10; ++each) EXPECT_EQ(of.open(), 64u);
  EXPECT_EQ(of.allotted(), 660u);
  EXPECT_FALSE(of.changes(64));
  EXPECT_EQ(of.open(), 0u) << "what there is has been dealt out";
  of.close(64);
  EXPECT_EQ(of.open(), 64u);
}

TEST(verbs_receive_budget, who_comes_last_gets_the_smallest_window_at_least) {
  constexpr std::size_t capacity = 5776, peers = 1024;
  receive_budget of{capacity, 64, peers};
  std::size_t sum = 0;
  for (std::size_t each = 0; each < peers; ++each) {
    const std::size_t window = of.open();
    ASSERT_GE(window, receive_budget::smallest);
    sum += window + uncounted;
  }
  EXPECT_EQ(sum, of.allotted());
  EXPECT_LE(sum, capacity);
}

TEST(verbs_receive_budget, more_than_there_is_room_for_get_none) {
  receive_budget of{100, 64, 1000};
  std::size_t connections = 0;
  while (of.open() > 0) ++connections;
  EXPECT_EQ(connections, 25u);
  EXPECT_LE(of.allotted(), 100u);
}

/// Opens, closes, grows and shrinks at random: the sum of what peers may send stays below what
/// there is, and nobody falls below the smallest window.
TEST(verbs_receive_budget, never_deals_out_more_than_there_is) {
  constexpr std::size_t capacity = 1000;
  receive_budget of{capacity, 64, 120};
  std::vector<std::size_t> windows;
  std::uint32_t random = 1;
  for (int step = 0; step < 200'000; ++step) {
    random = random * 1664525 + 1013904223;
    const std::uint32_t choice = (random >> 8) % 16, which = random >> 12;
    if (choice == 0 && windows.size() < 120) {
      windows.push_back(of.open());
      ASSERT_GE(windows.back(), receive_budget::smallest);
    } else if (choice == 1 && !windows.empty()) {
      of.close(windows.back());
      windows.pop_back();
    } else if (choice == 2) {
      of.low();
    } else if (choice < 6) {
      of.refilled();
    } else if (!windows.empty()) {
      std::size_t& window = windows[which % windows.size()];
      if (const std::size_t less = of.excess(window); less > 0) {
        ASSERT_LE(less, window / 4);
        window -= less;
        of.shrank(less);
      } else {
        const std::size_t more = of.growth(window);
        window += more;
        of.grew(more);
      }
      ASSERT_GE(window, receive_budget::smallest);
      ASSERT_LE(window, 64u);
    }
    const std::size_t sum = std::accumulate(windows.begin(), windows.end(), std::size_t{0}) +
                            windows.size() * uncounted;
    ASSERT_EQ(sum, of.allotted());
    ASSERT_LE(sum, capacity);
  }
}

TEST(verbs_receive_budget, busy_peers_come_to_the_same_share_and_leave_something_free) {
  receive_budget of{2000, 64, 200};
  std::vector<std::size_t> windows;
  for (int each = 0; each < 100; ++each) windows.push_back(of.open());
  for (int round = 0; round < 50; ++round)
    for (std::size_t& each : windows) {
      if (const std::size_t less = of.excess(each); less > 0) {
        each -= less;
        of.shrank(less);
        continue;
      }
      const std::size_t more = of.growth(each);
      each += more;
      of.grew(more);
    }
  const auto [least, most] = std::minmax_element(windows.begin(), windows.end());
  EXPECT_LE(*most, 2 * *least);
  EXPECT_LT(of.allotted(), 2000u - 100 * 4) << "those that are still to come are sure of theirs";
}

TEST(verbs_receive_budget, a_queue_that_runs_low_makes_windows_smaller_for_a_while) {
  receive_budget of{660, 64, 10};
  std::size_t window = of.open();
  of.low();
  EXPECT_TRUE(of.changes(window));
  while (const std::size_t less = of.excess(window)) {
    window -= less;
    of.shrank(less);
  }
  EXPECT_EQ(window, 32u);
  EXPECT_EQ(of.open(), 32u);
  for (int each = 0; each < 32; ++each) of.refilled();
  EXPECT_FALSE(of.lowered());
  EXPECT_EQ(of.growth(window), 32u);
  for (int each = 0; each < 20; ++each) of.low();
  EXPECT_EQ(of.limit(), receive_budget::smallest);
}

}  // namespace
