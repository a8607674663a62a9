#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mailbox.hpp"
#include "progress/engine.hpp"
#include "progress/wakeup.hpp"

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

TEST(sleep, ends_at_the_deadline_and_at_the_time_a_source_wants) {
  engine progress{false, block};
  mailbox from{progress};
  const auto until = std::chrono::steady_clock::now() + 5ms;
  EXPECT_FALSE(progress.wait_until([] { return false; }, until));
  EXPECT_GE(std::chrono::steady_clock::now(), until);

  from.alarm = std::chrono::steady_clock::now() + 5ms;
  EXPECT_TRUE(progress.wait_until([&] { return std::chrono::steady_clock::now() >= from.alarm; }, engine::never));
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
  EXPECT_TRUE(progress.wait_until([&] { return std::chrono::steady_clock::now() >= from.alarm; }, engine::never));
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
        if (!progress.wait_unlocked([&] { return from.taken.load() >= wanted; }, std::chrono::steady_clock::now() + 60s)) ++wrong;
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
  std::thread waits{[&] { EXPECT_TRUE(progress.wait_unlocked([&] { return from.taken.load() == 1; })); }};
  while (!from.asleep.load()) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);  // until the poll after the arming is over
  ++from.posted;
  while (!progress.progress() && from.taken.load() == 0) std::this_thread::yield();
  waits.join();
  EXPECT_EQ(counted(progress, "wait.wakeups"), counted(progress, "wait.sleeps")) << "a thread slept on";
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

TEST(wakeup, another_process_rings_by_the_address_and_only_the_right_pipe) {
  wakeup own;
  wakeup_address where = own.address();
  const pid_t child = fork();
  if (child == 0) {
    remote_wakeup rope;
    if (!rope.open(where)) _exit(1);
    rope.ring();
    ++where.inode;
    _exit(rope.open(where) ? 2 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  pollfd one{own.descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&one, 1, 0), 1);
  own.clear();
  EXPECT_EQ(poll(&one, 1, 0), 0);
}

TEST(wakeup, rings_for_a_pipe_that_is_gone_do_no_harm) {
  remote_wakeup rope;
  {
    wakeup own;
    ASSERT_TRUE(rope.open(own.address()));
  }
  for (int each = 0; each < 100'000; ++each) rope.ring();  // more than a pipe holds
}

}  // namespace
}  // namespace peal::test
