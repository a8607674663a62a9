#include "progress/wait_policy.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace peal::test {
namespace {

using namespace std::chrono_literals;
using action = backoff::action;
using mode = wait_mode;

/// What follows after so many misses.
action after(backoff& pause, int misses) {
  action last = action::spin;
  for (int each = 0; each < misses; ++each) last = pause.next(false);
  return last;
}

TEST(wait_policy, poll_spins_for_ever_and_block_sleeps_at_the_first_miss) {
  wait_history history;
  const wait_policy poll{mode::poll}, block{mode::block}, oversubscribed_block{mode::block, true};
  backoff first{poll, history}, second{block, history}, third{oversubscribed_block, history};
  EXPECT_EQ(after(first, wait_policy::turns_a_long_look - 1), action::spin);
  // It tells that the wait is long, and spins on.
  EXPECT_EQ(first.next(false), action::look);
  EXPECT_EQ(first.next(false), action::spin);
  EXPECT_EQ(second.next(false), action::sleep);
  EXPECT_EQ(third.next(false), action::sleep);
}

TEST(wait_policy, with_more_ranks_than_cores_it_never_spins_but_yields_a_few_times_and_sleeps) {
  wait_history history;
  const wait_policy oversubscribed{mode::adaptive, true};
  backoff pause{oversubscribed, history};
  for (std::uint32_t each = 0; each < wait_policy::yields_when_oversubscribed; ++each)
    ASSERT_EQ(pause.next(false), action::yield);
  EXPECT_EQ(pause.next(false), action::sleep);
  EXPECT_TRUE(pause.over());
  EXPECT_EQ(pause.spins(), 0u);
  EXPECT_EQ(pause.yields(), wait_policy::yields_when_oversubscribed);
}

TEST(wait_policy, with_more_ranks_than_cores_it_sleeps_at_once_while_yields_take_long) {
  wait_history history;
  const wait_policy oversubscribed{mode::adaptive, true};
  const auto now = yield_costs::clock::now();
  while (!history.yields.note(yield_costs::most_noted, now)) {
  }
  backoff pause{oversubscribed, history};
  EXPECT_EQ(pause.next(false), action::sleep);
  EXPECT_EQ(pause.next(true), action::spin);
  EXPECT_EQ(pause.next(false), action::sleep);
  // as if that had been long ago
  while (!history.yields.note(yield_costs::most_noted, now - 24h)) {
  }
  EXPECT_EQ(pause.next(false), action::yield);
}

TEST(wait_policy, a_yield_that_takes_as_long_as_many_sleeps_counts_as_so_many) {
  wait_history history;
  history.yields.state(1ns);
  const wait_policy oversubscribed{mode::adaptive, true};
  backoff pause{oversubscribed, history};
  for (std::uint32_t each = 0; each < yield_costs::yields_a_look; ++each) {
    ASSERT_EQ(pause.next(false), action::yield);
    pause.yield();
  }
  EXPECT_EQ(pause.next(false), action::sleep);
}

// A long wait, of a large message say, in which piece after piece comes.
TEST(wait_policy, with_more_ranks_than_cores_it_yields_anew_when_something_came) {
  wait_history history;
  const wait_policy oversubscribed{mode::adaptive, true};
  backoff pause{oversubscribed, history};
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t each = 0; each < wait_policy::yields_when_oversubscribed; ++each)
      ASSERT_EQ(pause.next(false), action::yield);
    EXPECT_EQ(pause.next(false), action::sleep);
    EXPECT_EQ(pause.next(true), action::spin);
  }
  EXPECT_EQ(pause.yields(), 3 * wait_policy::yields_when_oversubscribed);
}

TEST(wait_policy, adaptive_spins_for_its_time_sleeps_and_spins_anew_when_something_came) {
  wait_history history;
  const wait_policy adaptive{mode::adaptive, false, {1ms, 2ms}};
  backoff pause{adaptive, history};
  for (int round = 0; round < 2; ++round) {
    const auto start = std::chrono::steady_clock::now();
    while (pause.next(false) == action::spin) {
    }
    EXPECT_GE(std::chrono::steady_clock::now() - start, 1ms);
    EXPECT_EQ(pause.next(true), action::spin);
    EXPECT_EQ(pause.next(false), action::spin);
  }
}

TEST(wait_policy, a_short_wait_looks_at_no_clock_and_counts_nothing) {
  wait_history history;
  const wait_policy adaptive;
  backoff pause{adaptive, history};
  EXPECT_EQ(after(pause, wait_policy::turns_a_look - 1), action::spin);
  EXPECT_FALSE(pause.over());
  EXPECT_EQ(history.average(), 0ns);
}

TEST(wait_history, spins_longest_while_waits_are_short_and_least_while_they_are_long) {
  wait_history history;
  const wait_policy::bounds within{20us, 40us};
  EXPECT_EQ(history.spin(within), 40us) << "nothing known";
  const auto settle = [&](wait_policy::duration waits) {
    for (int each = 0; each < 200; ++each) history.note(waits);
  };
  settle(2us);
  EXPECT_EQ(history.spin(within), 40us);
  settle(35us);
  EXPECT_EQ(history.spin(within), 40us);
  settle(1ms);
  EXPECT_EQ(history.spin(within), 20us) << "messages are too far apart";
  for (int each = 0; each < 200; ++each) history.note_short();
  EXPECT_LT(history.average(), 1us);
}

TEST(wait_history, a_long_silence_is_soon_forgotten) {
  wait_history history;
  const wait_policy adaptive{mode::adaptive, false, {10us, 20us}};
  backoff pause{adaptive, history};
  while (pause.next(false) != action::sleep) {
  }
  std::this_thread::sleep_for(50ms);
  (void)pause.next(true);
  EXPECT_GT(history.average(), 10us);
  EXPECT_LE(history.average(), 20us) << "an eighth of eight times the longest spin";
}

}  // namespace
}  // namespace peal::test
