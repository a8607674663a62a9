#include "topology/core_sharing.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "topology/machine.hpp"

namespace {

/// The first hardware threads of the cores that this process may use, as few as asked for: less
/// when there are less.
std::vector<int> threads_of_cores(std::size_t count) {
  const peal::machine node;
  std::vector<int> threads;
  for (const auto& core : node.cores())
    if (threads.size() < count) threads.push_back(core.front());
  return threads;
}

void give(pid_t process, const std::vector<int>& threads) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int each : threads) CPU_SET(static_cast<std::size_t>(each), &set);
  ASSERT_EQ(::sched_setaffinity(process, sizeof set, &set), 0);
}

/// Processes that do nothing, in place of ranks.
class core_sharing_test : public testing::Test {
 protected:
  void SetUp() override {
    if (peal::machine{}.usable_cores() < 2) GTEST_SKIP() << "needs two cores";
    cores = threads_of_cores(2);
  }
  void TearDown() override {
    for (const pid_t each : ranks) {
      ::kill(each, SIGKILL);
      ::waitpid(each, nullptr, 0);
    }
  }
  void start(int count) {
    for (int each = 0; each < count; ++each) {
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      while (child == 0) ::pause();
      ranks.push_back(child);
      give(child, cores);
    }
  }
  std::vector<int> cores;
  std::vector<pid_t> ranks;
};

TEST_F(core_sharing_test, ranks_with_a_core_each_are_none_until_they_share_one) {
  start(2);
  peal::core_sharing around{ranks, ranks[0], 0};
  EXPECT_FALSE(around.oversubscribed());
  EXPECT_FALSE(around.look()) << "nothing has changed";
  for (const pid_t each : ranks) give(each, {cores[1]});
  EXPECT_FALSE(around.oversubscribed()) << "nobody has looked";
  EXPECT_TRUE(around.look());
  EXPECT_TRUE(around.oversubscribed());
  give(ranks[1], {cores[0]});
  EXPECT_TRUE(around.look());
  EXPECT_FALSE(around.oversubscribed()) << "bound apart";
}

TEST_F(core_sharing_test, more_ranks_than_cores_are_one_until_some_have_ended) {
  start(3);
  peal::core_sharing around{ranks, ranks[0], 0};
  EXPECT_TRUE(around.oversubscribed());
  EXPECT_EQ(around.ranks_a_core(), 2U);
  for (const pid_t each : ranks) give(each, {cores[0]});
  EXPECT_TRUE(around.look()) << "more of them share one";
  EXPECT_EQ(around.ranks_a_core(), 3U);
  for (const pid_t each : ranks) give(each, cores);
  ::kill(ranks[2], SIGKILL);
  ::waitpid(ranks[2], nullptr, 0);
  ranks.pop_back();
  EXPECT_TRUE(around.look());
  EXPECT_FALSE(around.oversubscribed());
}

/// A rank in another namespace of process ids cannot be asked, and its id may be that of any other
/// process here.
TEST_F(core_sharing_test, ranks_that_cannot_be_asked_are_taken_to_share_the_own_cores) {
  start(1);
  peal::core_sharing around{{ranks[0], peal::core_sharing::unknown}, ranks[0], 0};
  EXPECT_FALSE(around.oversubscribed()) << "two cores";
  give(ranks[0], {cores[0]});
  EXPECT_TRUE(around.look());
  EXPECT_TRUE(around.oversubscribed());
  const peal::core_sharing three{
      {peal::core_sharing::unknown, ranks[0], peal::core_sharing::unknown}, ranks[0], 0};
  EXPECT_TRUE(three.oversubscribed());
}

TEST_F(core_sharing_test, the_more_ranks_share_a_core_the_rarer_one_looks) {
  using namespace std::chrono_literals;
  const auto interval = [](std::size_t count) {
    std::vector<pid_t> many(count, peal::core_sharing::unknown);
    return peal::core_sharing{many, ::getpid(), 2}.look_interval();
  };
  EXPECT_EQ(interval(2), 100ms);
  EXPECT_EQ(interval(64), 100ms);
  EXPECT_GT(interval(256), 500ms);
  EXPECT_GT(interval(1024), interval(256));
  EXPECT_LE(interval(100'000), 5s) << "somebody may wait for it";
}

TEST_F(core_sharing_test, what_the_launcher_says_holds_while_nothing_changes) {
  start(2);
  peal::core_sharing around{ranks, ranks[0], 1};  // another job has the other core
  EXPECT_TRUE(around.oversubscribed());
  EXPECT_FALSE(around.look());
  EXPECT_TRUE(around.oversubscribed());
  give(ranks[0], {cores[0]});
  give(ranks[1], {cores[1]});
  EXPECT_TRUE(around.look());
  EXPECT_FALSE(around.oversubscribed()) << "bound apart";
  for (const pid_t each : ranks) give(each, cores);
  EXPECT_TRUE(around.look());
  EXPECT_TRUE(around.oversubscribed()) << "as it was at first";
}

TEST_F(core_sharing_test, the_cores_of_others_are_those_that_this_rank_has_not) {
  start(2);
  peal::core_sharing around{ranks, ranks[0], 0};
  EXPECT_TRUE(around.cores_of_others().empty()) << "all ranks may use the same";
  EXPECT_FALSE(around.cores_of_others().bind());
  give(ranks[0], {cores[0]});
  const peal::cpu_mask others = around.cores_of_others();
  EXPECT_TRUE(others.has(static_cast<std::size_t>(cores[1])));
  EXPECT_FALSE(others.has(static_cast<std::size_t>(cores[0])));
  std::thread{[&] {
    EXPECT_TRUE(others.bind());
    EXPECT_EQ(::sched_getcpu(), cores[1]);
  }}.join();
}

/// Of 100 times, how often a thread with these cores, which is on the first one, is on the second
/// one when it was sent to its share. It is the last of the ranks.
int times_moved(std::vector<pid_t> ranks, const std::vector<int>& cores) {
  ranks.push_back(::getpid());
  const peal::core_sharing around{ranks, ::getpid(), 0};
  int moved = 0;
  std::thread{[&] {
    for (int turn = 0; turn != 100; ++turn) {
      give(0, {cores[0]});
      give(0, cores);
      around.go_to_own_share();
      moved += ::sched_getcpu() == cores[1] ? 1 : 0;
      cpu_set_t after;
      ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
      EXPECT_EQ(CPU_COUNT(&after), 2) << "it is not bound";
    }
  }}.join();
  return moved;
}

// The system may move a thread at any time, so it is not always there.
TEST_F(core_sharing_test, of_more_ranks_than_threads_each_has_its_share) {
  start(2);
  EXPECT_GT(times_moved(ranks, cores), 50);
  give(ranks[0], {cores[0]});
  EXPECT_GT(times_moved(ranks, cores), 50) << "one that is on its way";
}

TEST_F(core_sharing_test, with_a_thread_for_each_the_system_has_its_way) {
  start(1);
  EXPECT_LT(times_moved(ranks, cores), 50);
}

TEST_F(core_sharing_test, beside_one_that_cannot_be_asked_about_the_system_has_its_way) {
  start(2);
  EXPECT_LT(times_moved({ranks[0], ranks[1], peal::core_sharing::unknown}, cores), 50);
}

TEST(cpu_mask, counts_and_finds_its_threads) {
  peal::cpu_mask mask;
  ASSERT_TRUE(mask.read(0));
  mask.words = {};
  EXPECT_EQ(mask.count(), 0U);
  for (const std::size_t each : {1U, 5U, 63U}) mask.add(each);
  EXPECT_EQ(mask.count(), 3U);
  EXPECT_EQ(mask.at(0), 1U);
  EXPECT_EQ(mask.at(2), 63U);
}

TEST_F(core_sharing_test, one_rank_is_never_one) {
  start(1);
  give(ranks[0], {cores[0]});
  peal::core_sharing around{ranks, ranks[0], 0};
  EXPECT_FALSE(around.oversubscribed());
  EXPECT_FALSE(around.look());
  const peal::core_sharing nobody{{}, ::getpid(), 1};
  EXPECT_FALSE(nobody.oversubscribed());
}

}  // namespace
