// progress/biased_lock.hpp
// A lock between one thread that takes it all the time, the owner, and one that seldom does: the
// owner's way in and out is a store each and one load.
//
// The owner says that it is inside, and then looks whether the lock was revoked; who revokes says
// so, and then looks whether the owner is inside. Neither may miss the other, so the store and the
// look of each must stay in order: who revokes pays for both with membarrier. While it is revoked
// both take the mutex. Only the owner ends that (reclaim), or who revoked it (give_back).
//
// Layer    progress.
// Threads  the owner is the program, whichever of its threads calls, one at a time; one other
//          thread revokes.
// Source   membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED.
#pragma once

#include <atomic>
#include <mutex>

#include "base/cache_line.hpp"

namespace peal {

class biased_lock {
 public:
  /// False where the system has no membarrier: such a lock must not be used. Repeated calls do
  /// nothing.
  [[nodiscard]] static bool available() noexcept;

  // ---- the owner
  /// True: it has the lock, by the short way. False: it was revoked, and nothing happened.
  [[nodiscard]] bool enter() noexcept {
    inside_.store(true, std::memory_order_relaxed);
    // the compiler keeps the order; the other's barrier makes the core keep it
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // acquire: pairs with the release in give_back.
    if (!revoked_.load(std::memory_order_acquire)) [[likely]]
      return true;
    inside_.store(false, std::memory_order_release);
    return false;
  }
  /// Gives back what `enter` or `reclaim` took. False: that was not how the owner got in, so it was
  /// by the mutex.
  [[nodiscard]] bool leave() noexcept {
    if (!inside_.load(std::memory_order_relaxed)) return false;
    // release: pairs with the acquire in revoke, so that who revokes sees what the owner did.
    inside_.store(false, std::memory_order_release);
    return true;
  }
  /// The same where it was `enter` that let the caller in.
  void leave_entered() noexcept { inside_.store(false, std::memory_order_release); }
  /// With the mutex held, which goes: from now on the short way leads in again, and the owner is
  /// inside.
  void reclaim() noexcept {
    inside_.store(true, std::memory_order_relaxed);
    revoked_.store(false, std::memory_order_relaxed);  // the mutex orders it before the next revoke
    mutex_.unlock();
  }

  // ---- who revokes, with the mutex held
  /// From now on the owner takes the mutex. False: the owner is inside; nothing has changed.
  [[nodiscard]] bool revoke() noexcept;
  void give_back() noexcept { revoked_.store(false, std::memory_order_release); }

  // ---- both
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

 private:
  std::atomic<bool> inside_{false};   // the owner, by the short way; written by it alone
  std::atomic<bool> revoked_{false};  // written with the mutex held
  alignas(cache_line) std::mutex mutex_;
};

}  // namespace peal
