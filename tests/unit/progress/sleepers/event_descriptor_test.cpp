#include "progress/sleepers/event_descriptor.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "progress/engine.hpp"
#include "unit/progress/mailbox.hpp"

namespace peal::test {
namespace {

using namespace std::chrono_literals;

/// An event descriptor that is open for as long as it lives.
struct loop_end {
  explicit loop_end(engine& of) : progress{of} { EXPECT_TRUE(progress.open(end)); }
  ~loop_end() { progress.close(end); }
  bool arm() {
    end.look = engine::backstop;  // or the alarm of the first looks may come at any time
    return progress.arm(end);
  }
  bool disarm() { return progress.disarm(end); }
  /// Whether it became readable in time.
  bool readable(std::chrono::milliseconds time = 0ms) const {
    pollfd one{end.number(), POLLIN, 0};
    return ::poll(&one, 1, static_cast<int>(time.count())) == 1;
  }

  engine& progress;
  event_descriptor end;
};

TEST(event_descriptor, the_descriptor_is_readable_when_something_comes_and_until_it_was_looked_at) {
  engine progress{false, block};
  mailbox from{progress};
  loop_end loop{progress};
  EXPECT_FALSE(loop.readable());
  ASSERT_TRUE(loop.arm());
  EXPECT_FALSE(loop.readable());
  from.post();
  EXPECT_TRUE(loop.readable(10s));
  EXPECT_TRUE(loop.readable()) << "nobody has looked yet";
  EXPECT_TRUE(loop.disarm());
  EXPECT_EQ(from.taken, 1);
  EXPECT_FALSE(from.asleep) << "awake, so senders need not ring";
  EXPECT_FALSE(loop.readable());
  EXPECT_TRUE(loop.arm());
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(event_descriptor, the_source_of_a_descriptor_reads_it) {
  engine progress{false, block};
  readable_device loud;
  progress.add(loud);
  progress.watch(loud.line.descriptor(), &loud);
  loop_end loop{progress};
  ASSERT_TRUE(loop.arm());
  loud.line.ring();
  EXPECT_TRUE(loop.readable(10s));
  EXPECT_FALSE(loop.disarm());
  EXPECT_EQ(loud.reads, 1);
  EXPECT_FALSE(loop.readable()) << "a loop would never sleep again";
  progress.unwatch(loud.line.descriptor());
  progress.remove(loud);
}

TEST(event_descriptor, what_is_there_already_is_said_and_nothing_stays_armed) {
  engine progress{false, block};
  mailbox from{progress};
  loop_end loop{progress};
  from.post();
  EXPECT_FALSE(loop.arm());
  EXPECT_FALSE(from.asleep);
  EXPECT_EQ(from.taken, 1);
  {
    const std::lock_guard<engine> guard{progress};
    progress.defer([](void*) {}, nullptr);
  }
  EXPECT_FALSE(loop.arm()) << "a call is to be made";
  progress.run_deferred();
  EXPECT_TRUE(loop.arm());
}

TEST(event_descriptor, what_comes_while_it_arms_is_found) {
  struct late final : progress_source {  // something comes between the last poll and the arming
    bool poll() noexcept override { return std::exchange(there, false); }
    bool arm() noexcept override { return there = true; }
    bool there = false;
  };
  engine progress{false, block};
  late source;
  progress.add(source);
  loop_end loop{progress};
  EXPECT_FALSE(loop.arm());
}

TEST(event_descriptor, none_of_many_is_lost) {
  engine progress{false, block};
  mailbox from{progress};
  loop_end loop{progress};
  constexpr int rounds = 5000;
  std::thread other{[&] {
    for (int each = 0; each < rounds; ++each) {
      while (from.taken.load() != each) std::this_thread::yield();
      if (each % 3 != 0)
        for (const auto end =
                 std::chrono::steady_clock::now() + std::chrono::nanoseconds{each * 7919 % 20'000};
             std::chrono::steady_clock::now() < end;) {
        }
      from.post();
    }
  }};
  while (from.taken.load() != rounds)
    if (loop.arm()) {
      EXPECT_TRUE(loop.readable(30s));
      loop.disarm();
    }
  other.join();
  EXPECT_GT(counted(progress, "wait.wakeups"), 0u);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(event_descriptor, armed_twice_is_armed) {
  engine progress{false, block};
  mailbox from{progress};
  loop_end loop{progress};
  EXPECT_TRUE(loop.arm());
  EXPECT_TRUE(loop.arm());
  EXPECT_FALSE(loop.readable());
  from.post();
  EXPECT_TRUE(loop.readable(10s));
  EXPECT_FALSE(loop.arm()) << "arming looks too";
  EXPECT_EQ(from.taken, 1);
}

TEST(event_descriptor, a_source_that_cannot_arm_makes_it_readable_soon_and_ever_more_seldom) {
  engine progress{false, block};
  mailbox from{progress};
  from.can_arm = false;
  loop_end loop{progress};
  ASSERT_TRUE(loop.arm());
  EXPECT_TRUE(loop.readable(10s));
  EXPECT_FALSE(from.asleep);
  auto before = loop.end.nap;
  EXPECT_GT(before, engine::shortest_nap);
  for (int each = 0; each < 10; ++each) {
    loop.disarm();
    ASSERT_TRUE(loop.arm());
    EXPECT_GE(loop.end.nap, before);
    before = loop.end.nap;
  }
  EXPECT_EQ(before, engine::longest_nap);
  ++from.posted;
  EXPECT_TRUE(loop.readable(10s));
  EXPECT_TRUE(loop.disarm());
  EXPECT_EQ(loop.end.nap, engine::shortest_nap);
}

TEST(event_descriptor, a_source_is_polled_when_it_wants) {
  engine progress{false, block};
  mailbox from{progress};
  loop_end loop{progress};
  from.alarm = std::chrono::steady_clock::now() + 5ms;
  ASSERT_TRUE(loop.arm());
  EXPECT_TRUE(loop.readable(10s));
  EXPECT_GE(std::chrono::steady_clock::now(), from.alarm);
  from.alarm = mailbox::deadline{};  // long ago
  loop.disarm();
  ASSERT_TRUE(loop.arm());
  EXPECT_TRUE(loop.readable(10s));
}

TEST(event_descriptor, watched_descriptors_count_early_and_late_ones) {
  engine progress{false, block};
  wakeup early, late;
  progress.watch(early.descriptor());
  loop_end loop{progress};
  progress.watch(late.descriptor());
  for (wakeup* each : {&early, &late}) {
    ASSERT_TRUE(loop.arm());
    EXPECT_FALSE(loop.readable());
    each->ring();
    EXPECT_TRUE(loop.readable(10s));
    each->clear();
    loop.disarm();
  }
  progress.unwatch(late.descriptor());
  ASSERT_TRUE(loop.arm());
  late.ring();
  EXPECT_FALSE(loop.readable());
}

TEST(event_descriptor, a_forgotten_wake_up_is_found_by_the_backstop_and_counted) {
  engine progress{false, block};
  mailbox from{progress};
  from.rings = false;
  loop_end loop{progress};
  ASSERT_TRUE(loop.arm());
  from.post();
  EXPECT_TRUE(loop.readable(10s));
  EXPECT_TRUE(loop.disarm());
  EXPECT_EQ(counted(progress, "wait.missed"), 1u);
}

TEST(event_descriptor, a_loop_looks_once_more_and_then_ever_more_rarely) {
  engine progress{false, block};
  mailbox from{progress};
  from.rings = false;
  loop_end loop{progress};
  std::chrono::milliseconds before = loop.end.look;
  EXPECT_EQ(before, engine::second_look);
  for (int fruitless = 0; fruitless < 3; ++fruitless) {
    ASSERT_TRUE(progress.arm(loop.end));
    EXPECT_EQ(loop.end.look, 2 * before);
    before = loop.end.look;
    EXPECT_TRUE(loop.readable(10s)) << "by an alarm";
    EXPECT_FALSE(loop.disarm());
  }
  ASSERT_TRUE(progress.arm(loop.end));
  from.post();
  EXPECT_TRUE(loop.readable(10s));
  EXPECT_TRUE(loop.disarm());
  EXPECT_EQ(loop.end.look, engine::second_look) << "something has come";
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(event_descriptor, what_comes_when_the_backstop_has_just_woken_the_loop_was_not_missed) {
  engine progress{false, block};
  mailbox from{progress};
  loop_end loop{progress};
  ASSERT_TRUE(loop.arm());
  EXPECT_TRUE(loop.readable(10s));
  from.comes_then = true;
  EXPECT_TRUE(loop.disarm());
  EXPECT_EQ(from.taken, 1);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(event_descriptor, each_of_several_loops_is_told) {
  engine progress{false, block};
  mailbox from{progress};
  loop_end one{progress}, two{progress};
  ASSERT_TRUE(one.arm());
  ASSERT_TRUE(two.arm());
  EXPECT_FALSE(one.readable()) << "the arming of another is nothing new";
  from.post();
  EXPECT_TRUE(one.readable(10s));
  EXPECT_TRUE(one.disarm());
  EXPECT_TRUE(two.readable(10s)) << "what has come may be the other's";
  EXPECT_FALSE(two.disarm());
  EXPECT_FALSE(one.readable());
  // Each by itself comes to rest.
  ASSERT_TRUE(one.arm());
  ASSERT_TRUE(two.arm());
  from.bell.ring();
  int turns = 0;
  for (bool rest = false; !rest && turns < 100; ++turns) {
    rest = true;
    for (loop_end* each : {&one, &two}) {
      if (!each->readable()) continue;
      rest = false;
      each->disarm();
      EXPECT_TRUE(each->arm());
    }
  }
  EXPECT_LT(turns, 10);
}

TEST(event_descriptor, a_loop_that_ends_leaves_the_others_armed) {
  engine progress{false, block};
  mailbox from{progress};
  loop_end stays{progress};
  ASSERT_TRUE(stays.arm());
  {
    loop_end goes{progress};
    ASSERT_TRUE(goes.arm());
  }
  from.post();
  EXPECT_TRUE(stays.readable(10s));
  ASSERT_TRUE(stays.disarm());
  {
    loop_end goes{progress};
    ASSERT_TRUE(goes.arm());
  }
  EXPECT_FALSE(from.asleep) << "nobody sleeps any more";
}

TEST(event_descriptor, who_sleeps_outside_is_told_what_another_thread_has_moved) {
  engine progress{true, block};
  mailbox from{progress};
  from.rings = false;
  loop_end loop{progress};
  ASSERT_TRUE(loop.arm());
  from.post();
  std::thread{[&] { progress.progress(); }}.join();
  EXPECT_EQ(from.taken, 1);
  EXPECT_TRUE(loop.readable(10s));
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(event_descriptor, threads_that_wait_and_threads_with_loops_sleep_beside_each_other) {
  engine progress{true, block};
  mailbox from{progress};
  constexpr int rounds = 400;
  const auto limit = std::chrono::steady_clock::now() + 60s;
  std::atomic<int> wrong{0};
  const auto waits = [&] {
    for (int round = 1; round <= rounds; ++round)
      if (!progress.wait_unlocked([&] { return from.taken.load() >= round; }, limit)) ++wrong;
  };
  const auto loops = [&] {
    loop_end loop{progress};
    while (from.taken.load() < rounds)
      if (loop.arm() && from.taken.load() < rounds) {
        if (!loop.readable(30s)) ++wrong;
        loop.disarm();
      }
  };
  std::vector<std::thread> all;
  for (int each = 0; each < 2; ++each) {
    all.emplace_back(waits);
    all.emplace_back(loops);
  }
  for (int each = 0; each < rounds; ++each) {
    while (from.taken.load() < each) std::this_thread::yield();
    from.post();
  }
  for (std::thread& each : all) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counted(progress, "wait.missed"), 0u);
}

TEST(event_descriptor, without_descriptors_it_stays_closed) {
  engine progress{false, block};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(STDERR_FILENO);
  close(next);
  event_descriptor end;
  for (rlim_t more = 0; more < 3; ++more) {
    const rlimit few{static_cast<rlim_t>(next) + more, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    EXPECT_FALSE(progress.open(end));
    EXPECT_EQ(end.number(), -1);
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(progress.open(end));
  progress.close(end);
}

}  // namespace
}  // namespace peal::test
