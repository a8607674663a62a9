#include "progress/sleepers/family.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/timerfd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "progress/engine.hpp"
#include "unit/progress/mailbox.hpp"

namespace peal::test {
namespace {

using namespace std::chrono_literals;

/// Engines with a mailbox each, all in use.
struct household {
  explicit household(int count, wait_policy policy = wait_policy{wait_mode::block}) {
    for (int each = 0; each < count; ++each) {
      engines.push_back(std::make_unique<engine>(true, policy));
      boxes.push_back(std::make_unique<mailbox>(*engines.back()));
      family.add(*engines.back());
      engines.back()->put_to_use();
    }
  }
  std::uint64_t missed() {
    std::uint64_t all = 0;
    for (const auto& each : engines) all += counted(*each, "wait.missed");
    return all;
  }

  engine_family family;
  std::vector<std::unique_ptr<engine>> engines;
  std::vector<std::unique_ptr<mailbox>> boxes;
};

/// What is posted to one engine only comes once something was taken from another: who waits in the
/// one must look after the other.
void answer_when_taken(household& all, std::size_t to, std::size_t from,
                       std::chrono::milliseconds later) {
  std::thread peer{[&] {
    std::this_thread::sleep_for(later);
    const int before = all.boxes[from]->taken.load();
    all.boxes[from]->post();
    while (all.boxes[from]->taken.load() == before) std::this_thread::yield();
    all.boxes[to]->post();
  }};
  const int before = all.boxes[to]->taken.load();
  EXPECT_TRUE(all.engines[to]->wait_unlocked([&] { return all.boxes[to]->taken.load() != before; },
                                             std::chrono::steady_clock::now() + 20s));
  peer.join();
}

TEST(family, who_waits_in_one_engine_takes_what_comes_to_another) {
  for (const auto mode : {wait_mode::block, wait_mode::adaptive, wait_mode::poll}) {
    household all{3, wait_policy{mode}};
    for (const auto later : {0ms, 20ms})
      for (std::size_t to = 0; to < 3; ++to) answer_when_taken(all, to, (to + 1) % 3, later);
    EXPECT_EQ(all.missed(), 0u);
  }
}

TEST(family, who_sleeps_looks_once_more_at_all_that_it_sleeps_for) {
  for (const bool anywhere : {false, true}) {
    household all{3};
    late_store late{*all.engines[1]};
    const auto found = [&] { return late.found.load(); };
    EXPECT_TRUE(anywhere ? all.engines[0]->wait_anywhere(found)
                         : all.engines[0]->wait_unlocked(found));
    EXPECT_EQ(counted(*all.engines[1], "wait.late"), 1u);
    EXPECT_EQ(all.missed(), 0u);
  }
}

TEST(family, an_engine_not_in_use_is_left_alone) {
  household all{2};
  engine third{true, wait_policy{wait_mode::block}};
  mailbox unused{third};
  all.family.add(third);
  answer_when_taken(all, 0, 1, 10ms);
  EXPECT_EQ(unused.armed, 0);
  // From now on it is: also for who sleeps already.
  std::thread opener{[&] {
    std::this_thread::sleep_for(10ms);
    unused.post();
    third.put_to_use();
    while (unused.taken.load() == 0) std::this_thread::yield();
    all.boxes[0]->post();
  }};
  const int before = all.boxes[0]->taken.load();
  EXPECT_TRUE(all.engines[0]->wait_unlocked([&] { return all.boxes[0]->taken.load() != before; },
                                            std::chrono::steady_clock::now() + 20s));
  opener.join();
}

TEST(family, a_sleeper_takes_over_what_another_thread_leaves) {
  household all{2};
  for (int round = 0; round < 20; ++round) {
    std::thread sleeper{
        [&] { all.engines[0]->wait_unlocked([&] { return all.boxes[0]->taken.load() > round; }); }};
    const auto leaves = [&] {
      const int before = all.boxes[1]->taken.load();
      std::thread poster{[&] {
        std::this_thread::sleep_for(1ms);
        all.boxes[1]->post();
      }};
      all.engines[1]->wait_unlocked([&] { return all.boxes[1]->taken.load() != before; });
      poster.join();
    };
    leaves();
    if (round % 2 == 0) std::this_thread::sleep_for(3ms);
    // This thread is in no engine now.
    const int before = all.boxes[1]->taken.load();
    all.boxes[1]->post();
    while (all.boxes[1]->taken.load() == before) std::this_thread::yield();
    all.boxes[0]->post();
    sleeper.join();
  }
  EXPECT_EQ(all.missed(), 0u);
}

/// The wait is over between that and the sleep, and its own engine is the one that was left alone.
TEST(family, who_takes_an_alarm_back_and_does_not_sleep_sets_it_again) {
  household all{1};
  engine unused{true, block};
  all.family.add(unused);
  const auto goes_off = [&] {
    itimerspec left{};
    pollfd rings{all.family.alarm(), POLLIN, 0};
    return (timerfd_gettime(all.family.alarm(), &left) == 0 &&
            (left.it_value.tv_sec != 0 || left.it_value.tv_nsec != 0)) ||
           poll(&rings, 1, 0) == 1;
  };
  all.family.begin_sleep();  // another sleeper, which does not keep engine 0
  all.family.look_soon(false);
  ASSERT_TRUE(goes_off());
  const std::uint64_t sleeps = counted(*all.engines[0], "wait.sleeps");
  EXPECT_TRUE(all.engines[0]->wait_unlocked([&] { return !goes_off(); }));
  EXPECT_EQ(counted(*all.engines[0], "wait.sleeps"), sleeps) << "this test is for nothing";
  EXPECT_TRUE(goes_off()) << "nobody looks at what is left alone";
  all.family.rise();
}

TEST(family, sleepers_of_engines_that_are_all_slept_in_do_not_wake_each_other) {
  household all{2};
  std::thread other{
      [&] { all.engines[1]->wait_unlocked([&] { return all.boxes[1]->taken.load() == 1; }); }};
  std::thread one{
      [&] { all.engines[0]->wait_unlocked([&] { return all.boxes[0]->taken.load() == 1; }); }};
  std::this_thread::sleep_for(300ms);
  const std::uint64_t before =
      counted(*all.engines[0], "wait.sleeps") + counted(*all.engines[1], "wait.sleeps");
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(500ms);
  const std::uint64_t after =
      counted(*all.engines[0], "wait.sleeps") + counted(*all.engines[1], "wait.sleeps");
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start)
          .count();
  EXPECT_LE(after - before, 4u + 4u * static_cast<std::uint64_t>(seconds))
      << "only the backstop ends these";
  all.boxes[0]->post();
  all.boxes[1]->post();
  one.join();
  other.join();
}

TEST(family, a_wait_for_anything_hears_of_every_engine) {
  for (const auto mode : {wait_mode::block, wait_mode::adaptive}) {
    household all{4, wait_policy{mode}};
    for (int round = 0; round < 16; ++round) {
      mailbox& box = *all.boxes[static_cast<std::size_t>(round % 4)];
      const int before = box.taken.load();
      std::thread poster{[&] {
        std::this_thread::sleep_for(round % 3 * 1ms);
        box.post();
      }};
      EXPECT_TRUE(all.engines[0]->wait_anywhere([&] { return box.taken.load() != before; },
                                                std::chrono::steady_clock::now() + 20s));
      poster.join();
    }
    EXPECT_EQ(all.missed(), 0u);
  }
}

/// Also of what another thread does there, which sleeps in that engine or polls it.
TEST(family, a_wait_for_anything_hears_of_what_other_threads_do) {
  household all{2};
  std::atomic<int> done{0};
  for (int round = 0; round < 20; ++round) {
    std::thread owner{[&] {
      const int before = all.boxes[1]->taken.load();
      all.engines[1]->wait_unlocked([&] { return all.boxes[1]->taken.load() != before; });
    }};
    std::thread waiter{[&] {
      EXPECT_TRUE(all.engines[0]->wait_anywhere([&] { return done.load() > round; },
                                                std::chrono::steady_clock::now() + 20s));
    }};
    std::this_thread::sleep_for(1ms);
    {
      const std::lock_guard<engine> hold{*all.engines[1]};
      done = round + 1;
      all.engines[1]->wake_sleepers();
    }
    waiter.join();
    all.boxes[1]->post();
    owner.join();
  }
  EXPECT_EQ(all.missed(), 0u);
}

/// A thread makes its descriptors on all engines, one of which is held by somebody who has to set
/// the alarm: neither waits for the other.
TEST(family, who_sleeps_for_the_first_time_holds_up_nobody) {
  household all{3};
  const auto sleep_in = [&](std::size_t which) {
    return std::thread{[&all, which] {
      all.engines[which]->wait_unlocked(
          [&all, which] { return all.boxes[which]->taken.load() == 1; });
    }};
  };
  std::thread asleep = sleep_in(2), first;
  std::this_thread::sleep_for(20ms);
  event_descriptor outside;
  ASSERT_TRUE(all.engines[1]->open(outside));
  while (!all.engines[1]->arm(outside)) {
  }
  {
    const std::lock_guard<engine> hold{*all.engines[1]};
    first = sleep_in(0);
    std::this_thread::sleep_for(20ms);
    all.engines[1]->wake_sleepers();
  }
  all.boxes[0]->post();
  all.boxes[2]->post();
  first.join();
  asleep.join();
  all.engines[1]->close(outside);
}

/// For ThreadSanitizer.
TEST(family, sleepers_come_and_go_all_at_once) {
  for (int round = 0; round < 10; ++round) {
    household all{4};
    std::vector<std::thread> threads;
    for (std::size_t each = 0; each < 8; ++each)
      threads.emplace_back([&, each] {
        engine& mine = *all.engines[each % 4];
        mailbox& box = *all.boxes[each % 4];
        for (int turn = 0; turn < 20; ++turn) {
          const int before = box.taken.load();
          std::thread poster{[&] { all.boxes[each % 4]->post(); }};
          EXPECT_TRUE(each < 4 ? mine.wait_unlocked([&] { return box.taken.load() != before; },
                                                    std::chrono::steady_clock::now() + 20s)
                               : mine.wait_anywhere([&] { return box.taken.load() != before; },
                                                    std::chrono::steady_clock::now() + 20s));
          poster.join();
        }
      });
    for (std::thread& each : threads) each.join();
  }
}

TEST(family, what_was_deferred_in_another_engine_runs_in_who_waits) {
  household all{2};
  std::atomic<int> ran{0};
  {
    const std::lock_guard<engine> hold{*all.engines[1]};
    all.engines[1]->defer([](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &ran);
  }
  EXPECT_TRUE(all.engines[0]->wait_unlocked([&] { return ran.load() == 1; },
                                            std::chrono::steady_clock::now() + 20s));
}

TEST(family, who_asks_for_progress_again_and_again_moves_the_others_too) {
  household all{2};
  all.boxes[1]->post();
  for (int calls = 0; calls < 1000 && all.boxes[1]->taken == 0; ++calls) all.engines[0]->progress();
  EXPECT_EQ(all.boxes[1]->taken, 1);
}

}  // namespace
}  // namespace peal::test
