#include "progress/yield_costs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>

namespace peal::test {
namespace {

using namespace std::chrono_literals;
using clock = yield_costs::clock;

constexpr clock::time_point start{1h};

TEST(yield_costs, quick_yields_pay_and_save_up_for_slow_ones) {
  yield_costs costs;
  EXPECT_TRUE(costs.pays());
  for (int each = 0; each < 1000; ++each) ASSERT_FALSE(costs.note(1us, start));
  // The other rank of this core computes at times.
  for (int step = 0; step < 100; ++step) {
    ASSERT_FALSE(costs.note(10ms, start)) << "step " << step;
    for (int each = 0; each < 600; ++each) ASSERT_FALSE(costs.note(2us, start));
  }
  EXPECT_TRUE(costs.pays());
}

TEST(yield_costs, slow_yields_are_put_off_once_what_was_saved_is_spent) {
  yield_costs costs;
  int noted = 1;
  while (!costs.note(10ms, start)) ASSERT_LT(++noted, 100);
  EXPECT_EQ(noted, yield_costs::most_saved / 10ms + 1);
  EXPECT_FALSE(costs.pays_again(start));
}

TEST(yield_costs, yields_are_tried_again_after_a_multiple_of_what_was_spent) {
  yield_costs costs;
  auto now = start;
  clock::duration lost{};
  for (int trial = 0; trial < 10; ++trial) {
    clock::duration spent{};
    for (bool put_off = false; !put_off; spent += 10ms) put_off = costs.note(10ms, now += 10ms);
    lost += spent;
    const auto since = now;
    while (!costs.pays_again(now)) now += 1ms;
    EXPECT_TRUE(costs.pays());
    EXPECT_GE(now - since, 31 * spent);
    EXPECT_LE(now - since, 32 * spent + yield_costs::between_trials);
  }
  EXPECT_LT(lost * 30, now - start);
}

TEST(yield_costs, ranks_of_a_node_try_at_the_same_time) {
  yield_costs first, second;
  ASSERT_FALSE(first.note(10ms, start + 1ms));
  ASSERT_FALSE(second.note(9ms, start + 2ms));
  ASSERT_TRUE(first.note(10ms, start + 3ms));
  ASSERT_TRUE(second.note(9ms, start + 7ms));
  for (auto now = start + 8ms; !first.pays_again(now); now += 1ms)
    ASSERT_EQ(second.pays_again(now + 1ms), first.pays_again(now + 1ms));
}

TEST(yield_costs, few_yields_are_looked_at_until_one_takes_too_long) {
  yield_costs costs;
  const auto looks = [&] {
    std::uint32_t count = 0;
    for (std::uint32_t each = 0; each < 10 * yield_costs::yields_a_look; ++each)
      count += costs.looks() ? 1 : 0;
    return count;
  };
  EXPECT_EQ(looks(), 10U);
  ASSERT_FALSE(costs.note(5ms, start));
  EXPECT_EQ(looks(), 10 * yield_costs::yields_a_look);
}

TEST(yield_costs, once_the_neighbours_are_gone_yields_pay_again) {
  yield_costs costs;
  while (!costs.note(50ms, start)) {
  }
  ASSERT_TRUE(costs.pays_again(start + 10s));
  for (int each = 0; each < 10'000; ++each) ASSERT_FALSE(costs.note(2us, start + 10s));
  EXPECT_FALSE(costs.note(12ms, start + 10s)) << "something is saved again";
  EXPECT_TRUE(costs.pays());
}

TEST(yield_costs, a_process_that_was_stopped_yields_on) {
  yield_costs costs;
  ASSERT_FALSE(costs.note(24h, start));
  ASSERT_TRUE(costs.note(24h, start)) << "twice in a row is too much";
  EXPECT_TRUE(costs.pays_again(start + 3s)) << "but not for long";
}

/// The job does not get the cores, whatever it does.
TEST(yield_costs, yields_pay_that_take_no_longer_than_waits_that_sleep) {
  yield_costs costs;
  const auto yields = [&](clock::duration took, clock::time_point now) {
    for (int each = 0; each < 10'000; ++each)
      if (costs.note(took, now)) return false;
    return true;
  };
  ASSERT_FALSE(yields(100us, start));
  for (int each = 0; each < 1000; ++each) costs.note_sleep(150us);
  ASSERT_TRUE(costs.pays_again(start + 10s));
  EXPECT_TRUE(yields(100us, start + 10s));
  EXPECT_FALSE(yields(200us, start + 10s));
  // Nothing is learned from a few.
  ASSERT_TRUE(costs.pays_again(start + 20s));
  costs.note_sleep(150us);
  EXPECT_FALSE(yields(100us, start + 20s + yield_costs::remembered)) << "that is long ago";
}

TEST(yield_costs, a_slice_is_too_long_however_long_waits_are) {
  yield_costs costs;
  while (!costs.note(10ms, start)) {
  }
  for (int each = 0; each < 1000; ++each) costs.note_sleep(50ms);
  ASSERT_TRUE(costs.pays_again(start + 10s));
  bool put_off = false;
  for (int each = 0; each < 10 && !put_off; ++each) put_off = costs.note(3ms, start + 10s);
  EXPECT_TRUE(put_off);
}

TEST(yield_costs, many_ranks_a_core_may_take_their_time) {
  yield_costs costs;
  costs.state(32 * 20us);
  for (int each = 0; each < 10'000; ++each) ASSERT_FALSE(costs.note(100us, start));
  EXPECT_TRUE(costs.pays());
}

/// The other ranks of a core compute.
TEST(yield_costs, slow_yields_pay_while_the_job_has_the_cores) {
  yield_costs costs;
  core_time cores{{::getpid()}, ::getpid()};
  costs.watch(&cores);
  auto now = start;
  const auto spend = [&] {
    for (int each = 0; each < 2; ++each)
      if (costs.note(10ms, now)) return true;
    return false;
  };
  EXPECT_FALSE(spend()) << "nobody knows yet who ran";
  for (int each = 0; each < 3; ++each) {
    // Of a clock that stands still while this process does not run.
    const auto before = std::clock();
    while (std::clock() - before < CLOCKS_PER_SEC / 100) {
    }
    now += 10ms;
    EXPECT_FALSE(spend());
  }
  now += 100ms;
  EXPECT_TRUE(spend()) << "somebody else has run";
  // After a while yields are tried anew, and others run still.
  now += 10s;
  ASSERT_TRUE(costs.pays_again(now));
  now += 50ms;
  EXPECT_TRUE(spend());
}

}  // namespace
}  // namespace peal::test
