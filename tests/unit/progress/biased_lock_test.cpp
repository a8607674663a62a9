#include "progress/biased_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace peal::test {
namespace {

/// As the engine takes it: by the short way, else by the mutex, and every so often for good.
struct owner {
  biased_lock& lock;

  void in(bool for_good) {
    if (lock.enter()) {
      ++short_ways;
      return;
    }
    lock.mutex().lock();
    if (for_good) lock.reclaim();
  }
  void out() {
    if (!lock.leave()) lock.mutex().unlock();
  }
  long short_ways = 0;
};

bool able() { return biased_lock::available(); }

TEST(biased_lock, the_owner_goes_in_by_the_short_way_until_it_is_revoked) {
  if (!able())
    GTEST_SKIP() << "needs membarrier: Linux 4.14 or newer, and no seccomp filter that refuses it";
  biased_lock lock;
  EXPECT_TRUE(lock.enter());
  EXPECT_TRUE(lock.leave());
  ASSERT_TRUE(lock.mutex().try_lock());
  EXPECT_TRUE(lock.revoke());
  EXPECT_FALSE(lock.enter());
  lock.mutex().unlock();
  EXPECT_FALSE(lock.enter()) << "revoked is revoked, also while nobody has the mutex";
  lock.mutex().lock();
  EXPECT_FALSE(lock.leave()) << "by the mutex";
  lock.mutex().unlock();
}

TEST(biased_lock, who_entered_leaves_without_a_look) {
  if (!able())
    GTEST_SKIP() << "needs membarrier: Linux 4.14 or newer, and no seccomp filter that refuses it";
  biased_lock lock;
  ASSERT_TRUE(lock.enter());
  lock.leave_entered();
  lock.mutex().lock();
  EXPECT_TRUE(lock.revoke());
  lock.mutex().unlock();
  EXPECT_FALSE(lock.enter());
}

TEST(biased_lock, nobody_revokes_while_the_owner_is_inside) {
  if (!able())
    GTEST_SKIP() << "needs membarrier: Linux 4.14 or newer, and no seccomp filter that refuses it";
  biased_lock lock;
  ASSERT_TRUE(lock.enter());
  std::thread{[&] {
    lock.mutex().lock();
    EXPECT_FALSE(lock.revoke());
    lock.mutex().unlock();
  }}.join();
  EXPECT_TRUE(lock.leave());
  EXPECT_TRUE(lock.enter()) << "nothing has changed";
}

TEST(biased_lock, the_owner_reclaims_and_who_revoked_gives_back) {
  if (!able())
    GTEST_SKIP() << "needs membarrier: Linux 4.14 or newer, and no seccomp filter that refuses it";
  biased_lock lock;
  lock.mutex().lock();
  ASSERT_TRUE(lock.revoke());
  lock.reclaim();
  ASSERT_TRUE(lock.mutex().try_lock()) << "the mutex went";
  EXPECT_FALSE(lock.revoke()) << "the owner is inside";
  lock.mutex().unlock();
  EXPECT_TRUE(lock.leave());
  lock.mutex().lock();
  ASSERT_TRUE(lock.revoke());
  lock.give_back();
  lock.mutex().unlock();
  EXPECT_TRUE(lock.enter());
}

// Two plain numbers that are equal whenever nobody is inside. ThreadSanitizer sees any access
// without order, and every other build a pair that differs.
TEST(biased_lock, keeps_two_threads_apart) {
  if (!able())
    GTEST_SKIP() << "needs membarrier: Linux 4.14 or newer, and no seccomp filter that refuses it";
  biased_lock lock;
  long first = 0, second = 0, torn = 0;
  const auto touch = [&] {
    if (first != second) ++torn;
    ++first;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    ++second;
  };
  std::atomic<bool> over{false};
  std::atomic<long> revoked{0};
  std::thread other{[&] {
    while (!over) {
      lock.mutex().lock();
      if (lock.revoke()) {
        touch();
        const bool keeps = revoked % 3 == 0;  // the owner finds it revoked
        if (!keeps) lock.give_back();
        ++revoked;
      }
      lock.mutex().unlock();
      std::this_thread::yield();
    }
  }};
  owner mine{lock};
  for (long round = 0; round < 20'000 || revoked < 300; ++round) {
    mine.in(round % 5 == 0);
    touch();
    mine.out();
  }
  over = true;
  other.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(first, second);
  EXPECT_GT(mine.short_ways, 0);
}

}  // namespace
}  // namespace peal::test
