#include "progress/lock.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace peal {

namespace {

bool membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t same,
                std::chrono::nanoseconds most) noexcept {
  const timespec time{most.count() / 1'000'000'000, most.count() % 1'000'000'000};
  (void)::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, same, most.count() != 0 ? &time : nullptr);
}

void futex_wake(const std::atomic<std::uint32_t>& word) noexcept {
  (void)::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
}

bool engine_lock::bias_available() noexcept {
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return registered;
}

// Ever longer pauses, since each try takes the word from the thread that holds it, which then can
// do several things in a row. In all they take about as long as a sleep and its wake-up.
void engine_lock::lock_mutex_slow() noexcept {
  constexpr int shortest_pause = 8, longest_pause = 512;
  wanting_.fetch_add(1, std::memory_order_relaxed);
  bool taken = false;
  for (int length = shortest_pause; length <= longest_pause && !taken; length *= 2) {
    for (int each = 0; each < length; ++each) relax();
    taken = try_lock_mutex();
  }
  // acquire: pairs with the release in unlock_mutex.
  while (!taken && word_.exchange(slept_on, std::memory_order_acquire) != unlocked)
    futex_wait(word_, slept_on);
  wanting_.fetch_sub(1, std::memory_order_relaxed);
}

bool engine_lock::try_revoke() noexcept {
  if (!try_lock_mutex()) return false;
  if (!biased()) return true;
  revoked_.store(true, std::memory_order_relaxed);
  // The owner, on whichever core, has either said that it is inside, or will see that it may not go
  // in. acquire: pairs with the release in leave.
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) && !inside_.load(std::memory_order_acquire))
    return true;
  give_back();
  return false;
}

}  // namespace peal
