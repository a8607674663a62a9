#include "progress/sleepers/helper_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "progress/engine.hpp"
#include "progress/wakeup.hpp"
#include "unit/progress/mailbox.hpp"

namespace peal::test {
namespace {

using namespace std::chrono_literals;

/// Things that come from elsewhere, as in sleep_test.
struct letters final : progress_source {
  explicit letters(engine& owner) : bell{owner.waking()} { owner.add(*this); }
  bool poll() noexcept override {
    by = std::this_thread::get_id();
    const int there = posted.load();
    const bool moved = there != taken.load();
    plain += there - taken.load();
    taken = there;
    return moved;
  }
  bool arm() noexcept override {
    if (can_arm) asleep = true;
    return can_arm;
  }
  void disarm() noexcept override { asleep = false; }
  void post() {
    ++posted;
    if (asleep.exchange(false)) bell.ring();
  }

  wakeup& bell;
  std::atomic<int> posted{0}, taken{0};
  std::atomic<bool> asleep{false}, can_arm{true};
  int plain = 0;            // guarded by the engine's lock
  std::thread::id by = {};  // the same
};

/// Waits without a call of the engine's.
template <class Condition>
bool comes_true(Condition&& holds) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!holds())
    if (std::chrono::steady_clock::now() > end) return false;
    else std::this_thread::sleep_for(100us);
  return true;
}

const wait_policy policy{};

class helped : public testing::TestWithParam<bool> {  // whether the program asked for threads
 protected:
  engine progress{GetParam(), wait_policy{wait_mode::block}};
  letters from{progress};
  helper_thread helper{progress, policy};

  bool led() {
    return comes_true([&] { return from.asleep.load(); });
  }
};

TEST_P(helped, progress_is_made_while_the_program_makes_no_call) {
  for (int each = 1; each <= 20; ++each) {
    from.post();
    ASSERT_TRUE(comes_true([&] { return from.taken.load() == each; }));
  }
  EXPECT_GT(counted(progress, "async.takeovers"), 0u);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST_P(helped, it_sleeps_until_something_comes) {
  for (int each = 1; each <= 10; ++each) {
    ASSERT_TRUE(led());
    from.post();
    ASSERT_TRUE(comes_true([&] { return from.taken.load() == each; }));
  }
  EXPECT_GT(counted(progress, "async.sleeps"), 0u);
}

TEST(helper_thread, looks_once_more_before_it_sleeps_for_long) {
  engine progress{false, block};
  late_store late{progress};
  const helper_thread helper{progress, policy};
  ASSERT_TRUE(comes_true([&] { return late.found.load(); }));
  EXPECT_GT(counted(progress, "wait.late"), 0u);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST_P(helped, the_program_takes_the_lead_back) {
  ASSERT_TRUE(led());
  // The helper says that it sleeps just before it does, and is busy until then. It stays away while
  // the lock is ours.
  ASSERT_TRUE(comes_true([&] { return progress.try_lock(); }));
  const bool asleep = from.asleep.load(), moved = progress.poll();
  const std::thread::id by = from.by;
  progress.unlock();
  EXPECT_FALSE(asleep) << "who polls is not to be rung for";
  EXPECT_FALSE(moved);
  EXPECT_EQ(by, std::this_thread::get_id());
}

TEST_P(helped, it_takes_over_again) {
  for (int each = 1; each <= 5; ++each) {
    ASSERT_TRUE(led());
    progress.progress();
    from.post();
    ASSERT_TRUE(comes_true([&] { return from.taken.load() == each; }));
  }
}

TEST_P(helped, a_wait_that_sleeps_is_woken_and_the_helper_stays_away) {
  std::thread other{[&] {
    for (int each = 0; each < 300; ++each) {
      while (from.taken.load() != each) std::this_thread::yield();
      if (each % 50 == 0) std::this_thread::sleep_for(5ms);  // some ticks
      from.post();
    }
  }};
  EXPECT_TRUE(progress.wait_until([&] { return from.taken.load() == 300; }));
  other.join();
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
  EXPECT_GT(counted(progress, "wait.sleeps"), 0u);
  from.post();
  EXPECT_TRUE(comes_true([&] { return from.taken.load() == 301; })) << "and comes back";
}

/// How often the helper thread has gone to sleep, by the kernel's count.
long naps_of_helper() {
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::string line;
    std::ifstream name{task.path() / "comm"}, status{task.path() / "status"};
    if (!std::getline(name, line) || line != "peal-helper") continue;
    while (std::getline(status, line))
      if (line.starts_with("voluntary_ctxt_switches:"))
        return std::stol(line.substr(line.find(':') + 1));
  }
  return -1;
}

TEST_P(helped, what_comes_in_the_middle_of_a_wait_leaves_it_asleep) {
  constexpr int letters = 60;
  std::thread other{[&] {
    for (int each = 0; each < letters; ++each) {
      while (from.taken.load() != each || !from.asleep.load()) std::this_thread::yield();
      std::this_thread::sleep_for(4ms);  // some ticks
      from.post();
    }
  }};
  const long before = naps_of_helper();
  EXPECT_TRUE(progress.wait_until([&] { return from.taken.load() == letters; }));
  const long after = naps_of_helper();
  other.join();
  ASSERT_GE(before, 0);
  EXPECT_LT(after - before, letters / 2);
  from.post();
  EXPECT_TRUE(comes_true([&] { return from.taken.load() == letters + 1; })) << "and it comes back";
}

TEST_P(helped, it_takes_over_from_a_loop_once_the_program_has_polled) {
  event_descriptor loop;
  ASSERT_TRUE(progress.open(loop));
  for (int round = 1; round < 6; ++round) {
    ASSERT_TRUE(progress.arm(loop));
    std::this_thread::sleep_for(5ms);  // the loop sleeps for the program
    from.post();
    progress.progress();  // the loop is called, and the program computes
    from.post();
    EXPECT_TRUE(comes_true([&] { return from.taken.load() == 2 * round; }));
    progress.disarm(loop);
  }
  progress.close(loop);
}

TEST(helper_thread, takes_the_turn_that_the_program_found_no_lock_for) {
  engine progress{true, wait_policy{wait_mode::block}};
  letters from{progress};
  helper_thread helper{progress, policy};
  event_descriptor loop;
  ASSERT_TRUE(progress.open(loop));
  for (int round = 1; round < 6; ++round) {
    ASSERT_TRUE(progress.arm(loop));
    if (round % 2 != 0) std::this_thread::sleep_for(5ms);  // the helper leaves it to the loop
    progress.lock();
    std::thread{[&] {
      from.post();
      progress.progress();  // in vain
    }}.join();
    progress.unlock();
    EXPECT_TRUE(comes_true([&] { return from.taken.load() == round; }));
    progress.disarm(loop);
  }
  progress.close(loop);
}

TEST_P(helped, a_source_that_cannot_wake_it_is_polled) {
  from.can_arm = false;
  for (int each = 1; each <= 5; ++each) {
    from.post();
    ASSERT_TRUE(comes_true([&] { return from.taken.load() == each; }));
  }
}

TEST_P(helped, the_source_of_a_descriptor_reads_it) {
  engine own{GetParam(), policy};
  readable_device loud;
  own.add(loud);
  own.watch(loud.line.descriptor(), &loud);
  helper_thread second{own, policy};
  loud.line.ring();
  EXPECT_TRUE(comes_true([&] {
    const std::lock_guard<engine> guard{own};
    return loud.reads == 1;
  })) << "it would end every sleep";
}

TEST_P(helped, something_large_hastens_it) {
  ASSERT_TRUE(led());
  progress.progress();
  std::uint64_t hints = 0;
  ASSERT_TRUE(comes_true([&] {
    {
      const std::lock_guard<engine> guard{progress};
      progress.started(helper_thread::large);
    }
    hints = counted(progress, "async.hints");
    progress.progress();
    return hints > 0;
  }));
}

TEST_P(helped, the_short_way_in_is_open_while_the_program_leads) {
  if (GetParam() || !engine_lock::bias_available()) {
    EXPECT_FALSE(progress.biased());
    return;
  }
  ASSERT_TRUE(led());
  EXPECT_FALSE(progress.enter()) << "the helper leads";
  ASSERT_TRUE(comes_true([&] {  // unless a tick comes in between
    progress.progress();
    if (!progress.enter()) return false;
    progress.leave();
    return true;
  }));
}

TEST_P(helped, what_is_deferred_is_left_to_the_program) {
  ASSERT_TRUE(led());
  std::thread::id by;
  {
    const std::lock_guard<engine> guard{progress};
    progress.defer(
        [](void* into) { *static_cast<std::thread::id*>(into) = std::this_thread::get_id(); }, &by);
  }
  from.post();
  ASSERT_TRUE(comes_true([&] { return from.taken.load() == 1; }));
  EXPECT_EQ(by, std::thread::id{});
  progress.progress();
  EXPECT_EQ(by, std::this_thread::get_id());
}

// The program touches what the lock guards, by all ways in, while the helper takes over again and
// again.
TEST_P(helped, nothing_is_touched_by_two_threads_at_a_time) {
  std::atomic<bool> over{false};
  std::thread other{[&] {
    while (!over) {
      from.post();
      std::this_thread::sleep_for(20us);
    }
  }};
  const auto touch = [&] { return from.plain; };
  for (int round = 0; round < 60; ++round) {
    {
      const std::lock_guard<engine> guard{progress};
      (void)touch();
    }
    if (progress.biased() && progress.enter()) {  // as the shortest way of a message
      (void)touch();
      progress.leave();
    }
    if (round % 2 == 0) progress.progress();
    if (round % 5 == 0) {
      const int goal = from.taken.load() + 3;
      ASSERT_TRUE(progress.wait_until([&] { return from.taken.load() >= goal; }));
    }
    std::this_thread::sleep_for(round % 3 == 0 ? 3ms : 300us);
  }
  over = true;
  other.join();
  helper.stop();
  progress.progress();
  EXPECT_EQ(from.plain, from.posted.load());
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST_P(helped, it_is_stopped_at_any_moment) {
  for (int round = 0; round < 20; ++round) {
    engine own{GetParam(), policy};
    letters some{own};
    helper_thread second{own, policy};
    if (round % 2 == 0) {
      ASSERT_TRUE(comes_true([&] { return some.asleep.load(); }));
    }
    second.stop();
    second.stop();
    EXPECT_FALSE(some.asleep.load()) << "it leaves nothing armed";
    some.post();
    own.progress();
    EXPECT_EQ(some.taken.load(), 1);
  }
}

TEST_P(helped, signals_are_for_the_program) {
  // One that the helper got would end this process; pending, it shows that nobody takes it.
  sigset_t usual, before;
  sigemptyset(&usual);
  sigaddset(&usual, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usual, &before);
  ASSERT_TRUE(led());
  kill(getpid(), SIGUSR1);
  int got = 0;
  EXPECT_EQ(sigwait(&usual, &got), 0);
  EXPECT_EQ(got, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

INSTANTIATE_TEST_SUITE_P(engine, helped, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) {
                           return info.param ? "with_threads" : "with_one_thread";
                         });

}  // namespace
}  // namespace peal::test
