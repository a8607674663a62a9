#include "progress/lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace peal::test {
namespace {

using kind = engine_lock::kind;

/// Two plain numbers that are equal whenever nobody is inside. ThreadSanitizer sees any access
/// without order, and every other build a pair that differs.
struct guarded_pair {
  long first = 0, second = 0, torn = 0;

  void touch() {
    if (first != second) ++torn;
    ++first;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    ++second;
  }
};

class biased_lock : public testing::Test {
 protected:
  void SetUp() override {
    if (!engine_lock::bias_available())
      GTEST_SKIP()
          << "needs membarrier: Linux 4.14 or newer, and no seccomp filter that refuses it";
  }
  engine_lock lock{kind::biased};
};

TEST_F(biased_lock, the_owner_goes_in_by_the_short_way_until_it_is_revoked) {
  EXPECT_TRUE(lock.enter());
  lock.leave();
  ASSERT_TRUE(lock.try_revoke());
  EXPECT_FALSE(lock.enter());
  lock.unlock_mutex();
  EXPECT_FALSE(lock.enter()) << "revoked is revoked, also while nobody has the mutex";
  lock.lock();
  EXPECT_FALSE(lock.try_lock_mutex()) << "by the mutex";
  lock.unlock();
  EXPECT_TRUE(lock.try_lock_mutex());
}

TEST_F(biased_lock, nobody_revokes_while_the_owner_is_inside) {
  lock.lock();
  std::thread{[&] { EXPECT_FALSE(lock.try_revoke()); }}.join();
  lock.unlock();
  EXPECT_TRUE(lock.try_lock_mutex()) << "the mutex went";
  EXPECT_TRUE(lock.enter()) << "nothing has changed";
}

TEST_F(biased_lock, the_owner_reclaims_and_the_helper_gives_back) {
  ASSERT_TRUE(lock.try_revoke());
  lock.reclaim();
  EXPECT_FALSE(lock.try_revoke()) << "the owner is inside";
  lock.unlock();
  ASSERT_TRUE(lock.try_revoke());
  lock.give_back();
  EXPECT_TRUE(lock.enter());
}

TEST_F(biased_lock, keeps_two_threads_apart) {
  guarded_pair pair;
  std::atomic<bool> over{false};
  std::atomic<long> revoked{0};
  std::thread helper{[&] {
    while (!over) {
      if (lock.try_revoke()) {
        pair.touch();
        if (revoked++ % 3 == 0) lock.unlock_mutex();  // the owner finds it revoked
        else lock.give_back();
      }
      std::this_thread::yield();
    }
  }};
  long short_ways = 0;
  for (long round = 0; round < 20'000 || revoked < 300; ++round) {
    // As the engine takes it: by the short way, else by the mutex, and every so often for good.
    if (lock.enter_biased()) {
      ++short_ways;
    } else {
      lock.lock_mutex();
      if (round % 5 == 0) lock.reclaim();
    }
    pair.touch();
    lock.unlock();
  }
  over = true;
  helper.join();
  EXPECT_EQ(pair.torn, 0);
  EXPECT_EQ(pair.first, pair.second);
  EXPECT_GT(short_ways, 0);
}

TEST(engine_lock, without_threads_is_no_lock) {
  engine_lock lock{kind::none};
  lock.lock();
  lock.lock();
  lock.unlock();
  EXPECT_TRUE(lock.try_lock_mutex());
}

// Four threads on the mutex: some of them sleep for it, in the kernel, and none sleeps for ever.
TEST(engine_lock, lets_one_thread_in_at_a_time_and_wakes_the_next) {
  engine_lock lock{kind::mutex};
  guarded_pair pair;
  constexpr long rounds = 5'000;
  std::vector<std::thread> threads;
  for (int each = 0; each < 4; ++each)
    threads.emplace_back([&, each] {
      for (long round = 0; round < rounds; ++round) {
        const std::lock_guard<engine_lock> guard{lock};
        pair.touch();
        // The thread that has the lock gives its core away, so that others come to sleep for it.
        if (round % 500 == each) std::this_thread::yield();
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(pair.torn, 0);
  EXPECT_EQ(pair.first, 4 * rounds);
  EXPECT_FALSE(lock.wanted());
}

// The thread that waits is in the kernel, or on its way there, when the lock is given back.
TEST(engine_lock, is_wanted_while_a_thread_waits_for_it) {
  engine_lock lock{kind::mutex};
  for (int round = 0; round < 200; ++round) {
    lock.lock();
    std::thread second{[&] {
      lock.lock();
      lock.unlock();
    }};
    while (!lock.wanted()) std::this_thread::yield();
    for (int turn = 0; turn < 10 * (round % 20); ++turn) std::this_thread::yield();
    lock.unlock();
    second.join();
    EXPECT_FALSE(lock.wanted());
  }
}

}  // namespace
}  // namespace peal::test
