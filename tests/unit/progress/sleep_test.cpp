#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mailbox.hpp"
#include "progress/engine.hpp"
#include "progress/wakeup.hpp"
#include "topology/core_sharing.hpp"
#include "topology/core_time.hpp"

namespace peal::test {
namespace {

using namespace std::chrono_literals;

TEST(sleep, a_wait_sleeps_and_is_woken) {
  engine progress{false, block};
  mailbox from{progress};
  std::thread other{[&] {
    for (int each = 0; each < 3000; ++each) {
      while (from.taken.load() != each) std::this_thread::yield();
      from.post();
    }
  }};
  EXPECT_TRUE(progress.wait_until([&] { return from.taken.load() == 3000; }));
  other.join();
  EXPECT_GT(counted(progress, "wait.sleeps"), 0u);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(sleep, what_came_before_the_sources_were_armed_is_found_without_sleep) {
  struct late final : progress_source {  // something comes between the last poll and the arming
    bool poll() noexcept override {
      found |= there;
      return std::exchange(there, false);
    }
    bool arm() noexcept override { return there = true; }
    bool there = false, found = false;
  };
  engine progress{false, block};
  late source;
  progress.add(source);
  EXPECT_TRUE(progress.wait_until([&] { return source.found; }));
  EXPECT_EQ(counted(progress, "wait.sleeps"), 0u);
}

TEST(sleep, a_forgotten_wake_up_is_found_by_the_backstop_and_counted) {
  engine progress{false, block};
  mailbox from{progress};
  from.rings = false;
  std::thread other{[&] {
    while (!from.asleep.load()) std::this_thread::yield();
    std::this_thread::sleep_for(20ms);  // until the poll after the arming is over
    from.post();
  }};
  EXPECT_TRUE(progress.wait_until([&] { return from.taken.load() == 1; }));
  other.join();
  EXPECT_EQ(counted(progress, "wait.missed"), 1u);
}

TEST(sleep, what_the_arming_has_not_made_visible_is_found_at_the_second_look) {
  engine progress{false, block};
  late_store from{progress};
  EXPECT_TRUE(progress.wait_until([&] { return from.found.load(); }));
  EXPECT_EQ(counted(progress, "wait.late"), 1u);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(sleep, ends_at_the_deadline_and_at_the_time_a_source_wants) {
  engine progress{false, block};
  mailbox from{progress};
  const auto until = std::chrono::steady_clock::now() + 5ms;
  EXPECT_FALSE(progress.wait_until([] { return false; }, until));
  EXPECT_GE(std::chrono::steady_clock::now(), until);

  from.alarm = std::chrono::steady_clock::now() + 5ms;
  EXPECT_TRUE(progress.wait_until([&] { return std::chrono::steady_clock::now() >= from.alarm; },
                                  engine::never));
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(sleep, who_cannot_arm_keeps_the_engine_awake) {
  engine progress{false, block};
  mailbox from{progress};
  from.can_arm = false;
  std::thread other{[&] {
    std::this_thread::sleep_for(2ms);
    ++from.posted;
  }};
  EXPECT_TRUE(progress.wait_until([&] { return from.taken.load() == 1; }));
  other.join();
  EXPECT_EQ(counted(progress, "wait.sleeps"), 0u);
}

TEST(sleep, exceptions_that_are_kept_for_later_keep_nobody_awake) {
  engine progress{false, block};
  mailbox from{progress};
  int called = 0;
  for (int each = 0; each < 3; ++each) {
    const std::lock_guard<engine> guard{progress};
    progress.defer(
        [](void* context) {
          ++*static_cast<int*>(context);
          throw std::runtime_error{"not today"};
        },
        &called);
  }
  EXPECT_TRUE(progress.wait_until([&] { return called == 3; })) << "and throws nothing";
  const std::uint64_t before = counted(progress, "wait.sleeps");
  EXPECT_FALSE(progress.wait_until([] { return false; }, std::chrono::steady_clock::now() + 5ms));
  EXPECT_GT(counted(progress, "wait.sleeps"), before);
  for (int each = 0; each < 3; ++each) EXPECT_THROW(progress.progress(), std::runtime_error);
  EXPECT_NO_THROW(progress.progress());
}

TEST(sleep, a_watched_descriptor_ends_it) {
  engine progress{false, block};
  mailbox from{progress};
  wakeup other;
  progress.watch(other.descriptor());
  std::thread rings{[&] {
    while (!from.asleep.load()) std::this_thread::yield();
    ++from.posted;
    other.ring();
  }};
  EXPECT_TRUE(progress.wait_until([&] { return from.taken.load() == 1; }));
  rings.join();
  progress.unwatch(other.descriptor());
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(sleep, the_source_of_a_descriptor_reads_it) {
  engine progress{false, block};
  mailbox from{progress};
  readable_device loud, quiet;
  for (readable_device* each : {&loud, &quiet}) {
    progress.add(*each);
    progress.watch(each->line.descriptor(), each);
  }
  loud.line.ring();
  from.alarm = std::chrono::steady_clock::now() + 20ms;
  EXPECT_TRUE(progress.wait_until([&] { return std::chrono::steady_clock::now() >= from.alarm; },
                                  engine::never));
  EXPECT_EQ(loud.reads, 1);
  EXPECT_EQ(loud.told, 1);
  EXPECT_EQ(quiet.told, 0);
  EXPECT_LE(counted(progress, "wait.sleeps"), 20u) << "it would end every sleep";
  for (readable_device* each : {&loud, &quiet}) {
    progress.unwatch(each->line.descriptor());
    progress.remove(*each);
  }
}

TEST(sleep, of_several_threads_one_leads_and_each_gets_its_own) {
  engine progress{true, block};
  mailbox from{progress};
  constexpr int threads = 4, rounds = 400;
  std::atomic<int> turn{0}, wrong{0};
  std::vector<std::thread> waiting;
  for (int mine = 0; mine < threads; ++mine)
    waiting.emplace_back([&, mine] {
      for (int round = 0; round < rounds; ++round) {
        const int wanted = round * threads + mine + 1;
        if (!progress.wait_unlocked([&] { return from.taken.load() >= wanted; },
                                    std::chrono::steady_clock::now() + 60s))
          ++wrong;
        ++turn;
      }
    });
  for (int each = 0; each < threads * rounds; ++each) {
    while (turn.load() < each - threads) std::this_thread::yield();
    from.post();
  }
  for (std::thread& each : waiting) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(sleep, what_another_thread_moves_wakes_who_waits_for_it) {
  engine progress{true, block};
  mailbox from{progress};
  from.rings = false;
  std::thread waits{
      [&] { EXPECT_TRUE(progress.wait_unlocked([&] { return from.taken.load() == 1; })); }};
  while (!from.asleep.load()) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);  // until the poll after the arming is over
  ++from.posted;
  while (!progress.progress() && from.taken.load() == 0) std::this_thread::yield();
  waits.join();
  EXPECT_EQ(counted(progress, "wait.wakeups"), counted(progress, "wait.sleeps"))
      << "a thread slept on";
}

TEST(sleep, what_a_deferred_call_of_another_thread_does_wakes_too) {
  engine progress{true, block};
  mailbox from{progress};
  std::atomic<bool> called{false};
  std::thread waits{[&] { EXPECT_TRUE(progress.wait_unlocked([&] { return called.load(); })); }};
  while (!from.asleep.load()) std::this_thread::yield();
  std::this_thread::sleep_for(5ms);
  {
    const std::lock_guard<engine> guard{progress};
    progress.defer([](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &called);
  }
  progress.run_deferred();
  waits.join();
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

/// Something that ends once, as an operation does, and how often its thread has looked whether it
/// has.
struct own_end {
  std::atomic<bool> over{false};
  std::atomic<int> looks{0};
};

/// What a wait for one operation asks.
struct is_over {
  own_end& of;
  bool operator()() const {
    ++of.looks;
    return of.over.load();
  }
  const void* sleep_for() const { return &of; }
};

/// Threads that wait for the end of something of their own each.
struct waiting_threads {
  waiting_threads(engine& in, std::size_t count) : progress{in}, ends(count) {
    for (own_end& each : ends) threads.emplace_back([&] { progress.wait_unlocked(is_over{each}); });
    // Each looks twice before it sleeps; those that do not lead have no more to do then.
    for (own_end& each : ends)
      while (each.looks < 3) std::this_thread::yield();
    std::this_thread::sleep_for(50ms);
  }
  void end(std::size_t which) {
    {
      const std::lock_guard<engine> guard{progress};
      ends[which].over = true;
      progress.ended(&ends[which]);
    }
    threads[which].join();
  }
  std::vector<int> looks() const {
    std::vector<int> all;
    for (const own_end& each : ends) all.push_back(each.looks);
    return all;
  }

  engine& progress;
  std::vector<own_end> ends;
  std::vector<std::thread> threads;
};

TEST(sleep, what_moves_for_others_wakes_no_thread_but_the_leader) {
  engine progress{true, block};
  mailbox from{progress};
  waiting_threads asleep{progress, 8};
  const std::vector<int> before = asleep.looks();
  const auto start = std::chrono::steady_clock::now();
  for (int round = 1; round <= 2000; ++round) {
    from.post();
    while (from.taken.load() != round) progress.progress();
    // the leader is back on the descriptors
    if (round % 10 == 0) std::this_thread::sleep_for(200us);
  }
  const auto seconds =
      std::chrono::duration<double>{std::chrono::steady_clock::now() - start}.count();
  std::vector<int> looks = asleep.looks();
  for (std::size_t each = 0; each < looks.size(); ++each) looks[each] -= before[each];
  std::sort(looks.begin(), looks.end());
  looks.pop_back();  // the leader's
  for (const int each : looks)
    EXPECT_LE(each, 10 + 10 * seconds) << "only the backstop ends these sleeps";
  for (std::size_t each = 0; each < 8; ++each) asleep.end(each);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

/// A thread that leads is woken for what is another thread's as soon as it sleeps. It sleeps on the
/// descriptors again only after naps that grow, so this takes far longer than waking it does. Where
/// the machine is slow, it takes as long for that reason.
TEST(sleep, a_leader_that_is_woken_for_others_again_and_again_naps) {
  engine progress{true, block};
  mailbox from{progress};
  waiting_threads asleep{progress, 1};
  constexpr int rounds = 400;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds; ++round) {
    while (!from.asleep.load()) std::this_thread::yield();
    progress.progress();
    from.post();
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, rounds * 50us);
  asleep.end(0);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(sleep, the_end_of_an_operation_wakes_its_own_thread_and_the_next_leader) {
  constexpr std::size_t threads = 8;
  for (const bool backwards : {false, true}) {
    engine progress{true, block};
    mailbox from{progress};
    waiting_threads asleep{progress, threads};
    const std::uint64_t before = counted(progress, "wait.wakeups");
    for (std::size_t each = 0; each < threads; ++each)
      asleep.end(backwards ? threads - 1 - each : each);
    const std::uint64_t wakeups = counted(progress, "wait.wakeups") - before;
    EXPECT_GE(wakeups, threads) << "a thread slept on";
    EXPECT_LE(wakeups, 2 * threads);
    EXPECT_EQ(counted(progress, "wait.missed"), 0u);
  }
}

/// Whether a thread of this process sleeps, as the kernel sees it.
bool sleeps(int thread) {
  std::ifstream file{"/proc/self/task/" + std::to_string(thread) + "/stat"};
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.compare(name_end, 4, ") S ") == 0;
}

TEST(sleep, a_thread_that_follows_leads_when_the_leader_has_left) {
  engine progress{true, block};
  mailbox from{progress};
  for (int round = 1; round <= 20; ++round) {
    const std::uint64_t before = counted(progress, "wait.wakeups");
    waiting_threads first{progress, 1};  // leads
    std::atomic<int> looks{0}, name{0};
    std::thread second{[&] {
      name = ::gettid();
      progress.wait_unlocked([&] {
        ++looks;
        return from.taken.load() == round;
      });
    }};
    while (looks < 3 || !sleeps(name)) std::this_thread::yield();
    first.end(0);
    std::this_thread::sleep_for(round % 3 * 1ms);
    from.post();
    second.join();
    EXPECT_GE(counted(progress, "wait.wakeups") - before, 2u) << "the second one was not called";
  }
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

/// A rank that may run on these two hardware threads, is on the first, and waits: whether it is on
/// the second one afterwards. `others`: the ranks before it.
bool goes_to_its_share(std::vector<pid_t> others, const cpu_mask& first, const cpu_mask& both) {
  others.push_back(::getpid());
  core_sharing around{others, ::getpid(), 0};
  core_time who_ran{others, ::getpid()};
  engine progress;
  const wait_policy yields{wait_mode::adaptive, true};
  progress.set_policies(yields, yields, around, who_ran);
  EXPECT_TRUE(first.bind());
  EXPECT_TRUE(both.bind());
  // Short ones, none of which sleeps.
  while (counted(progress, "wait.yields") < 2 * engine::first_share)
    EXPECT_TRUE(progress.wait_until([looks = 0]() mutable { return ++looks == 5; }));
  return !first.has(static_cast<std::size_t>(::sched_getcpu()));
}

// The system may move a thread at any time, so it is not always there, and sometimes without that.
TEST(sleep, a_rank_that_waits_for_others_of_its_cores_goes_to_its_share) {
  cpu_mask before, first, both;
  ASSERT_TRUE(before.read(0));
  if (before.count() < 2) GTEST_SKIP() << "needs two hardware threads";
  first.add(before.at(0));
  both.add(before.at(0));
  both.add(before.at(1));
  std::atomic<bool> over{false};
  std::atomic<int> names[2] = {};
  std::vector<std::thread> ranks;
  for (auto& name : names)
    ranks.emplace_back([&] {
      EXPECT_TRUE(both.bind());
      name = ::gettid();
      over.wait(false);
    });
  while (names[0] == 0 || names[1] == 0) std::this_thread::yield();
  int went = 0, went_alone = 0;
  std::thread{[&] {
    for (int each = 0; each < 50; ++each) {
      went += goes_to_its_share({names[0], names[1]}, first, both) ? 1 : 0;
      went_alone += goes_to_its_share({}, first, both) ? 1 : 0;
    }
  }}.join();
  over = true;
  over.notify_all();
  for (std::thread& each : ranks) each.join();
  EXPECT_GT(went, 25);
  EXPECT_LT(went_alone, 25);
}

}  // namespace
}  // namespace peal::test
