// progress/lock.hpp
// The engine's lock: none where one thread calls, a mutex where several may, and a biased lock
// where a helper thread works beside the one thread that calls.
//
// A biased lock is for one thread that takes it all the time, the owner, and one that seldom does,
// the helper. The owner's way in and out is a store each and one load. The owner says that it is
// inside, and then looks whether the lock was revoked; the helper says that it revokes, and then
// looks whether the owner is inside. Neither may miss the other, so the store and the look of each
// must stay in order: the helper pays for both with membarrier. While the lock is revoked both take
// the mutex. The owner ends that with reclaim, or the helper with give_back.
//
// Layer    progress.
// Threads  any; what belongs to the owner or to the helper thread alone says so. The owner is the
//          program, whichever of its threads calls, one at a time.
// Source   futex(2); membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/cache_line.hpp"

namespace peal {

/// Sleeps while the word is `same`, until it is woken or the time has passed. Zero: for ever.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t same,
                std::chrono::nanoseconds most = {}) noexcept;
/// Wakes one thread that sleeps on the word.
void futex_wake(const std::atomic<std::uint32_t>& word) noexcept;

class engine_lock {
 public:
  enum class kind : std::uint8_t { none, mutex, biased };

  /// False where the system has no membarrier: no lock may be biased. Repeated calls do nothing.
  [[nodiscard]] static bool bias_available() noexcept;

  explicit engine_lock(kind how) noexcept : kind_{how} {}
  engine_lock(const engine_lock&) = delete;
  engine_lock& operator=(const engine_lock&) = delete;
  [[nodiscard]] kind how() const noexcept { return kind_; }
  /// Before there is a second thread.
  void become(kind how) noexcept { kind_ = how; }
  /// Whether the lock is real.
  [[nodiscard]] bool shared() const noexcept { return kind_ != kind::none; }
  [[nodiscard]] bool biased() const noexcept { return kind_ == kind::biased; }

  void lock() noexcept {
    if (shared() && !enter_biased()) lock_mutex();
  }
  void unlock() noexcept {
    if (!shared()) return;
    // The owner, if it came by the short way.
    if (biased() && inside_.load(std::memory_order_relaxed)) leave();
    else unlock_mutex();
  }

  // ---- the owner of a biased lock
  /// The short way. False: it is closed, or there is none.
  [[nodiscard]] bool enter_biased() noexcept { return biased() && enter(); }
  /// Requires: biased. False: the lock was revoked, and nothing happened.
  [[nodiscard]] bool enter() noexcept {
    inside_.store(true, std::memory_order_relaxed);
    // The compiler keeps the order; the helper's barrier makes the core keep it.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // acquire: pairs with the release in give_back.
    if (!revoked_.load(std::memory_order_acquire)) [[likely]]
      return true;
    inside_.store(false, std::memory_order_release);
    return false;
  }
  /// Where `enter` or `reclaim` let the caller in.
  void leave() noexcept {
    // release: pairs with the acquire in try_revoke, so that the helper sees what the owner did.
    inside_.store(false, std::memory_order_release);
  }
  /// With the mutex held. Where the lock is biased the mutex goes: from now on the short way leads
  /// in again, and the owner is inside.
  void reclaim() noexcept {
    if (!biased()) return;
    inside_.store(true, std::memory_order_relaxed);
    revoked_.store(false, std::memory_order_relaxed);  // the mutex orders it before the next revoke
    unlock_mutex();
  }

  // ---- the mutex, which is the lock's whatever its kind
  [[nodiscard]] bool try_lock_mutex() noexcept {
    std::uint32_t found = word_.load(std::memory_order_relaxed);
    // acquire: pairs with the release in unlock_mutex.
    return found == unlocked &&
           word_.compare_exchange_strong(found, locked, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void lock_mutex() noexcept {
    if (!try_lock_mutex()) [[unlikely]]
      lock_mutex_slow();
  }
  void unlock_mutex() noexcept {
    if (word_.exchange(unlocked, std::memory_order_release) == slept_on) [[unlikely]]
      futex_wake(word_);
  }
  /// Whether threads wait for the mutex: a thread that only polls lets them in first.
  [[nodiscard]] bool wanted() const noexcept {
    return wanting_.load(std::memory_order_relaxed) != 0;
  }

  // ---- the helper thread
  /// Takes the mutex, and closes the short way. False: the lock is taken; nothing has changed.
  [[nodiscard]] bool try_revoke() noexcept;
  /// Opens the short way again, and unlocks the mutex.
  void give_back() noexcept {
    revoked_.store(false, std::memory_order_release);
    unlock_mutex();
  }

 private:
  static constexpr std::uint32_t unlocked = 0, locked = 1, slept_on = 2;

  void lock_mutex_slow() noexcept;

  kind kind_;                         // constant once there is a second thread
  std::atomic<bool> inside_{false};   // the owner, by the short way; written by it alone
  std::atomic<bool> revoked_{false};  // written with the mutex held
  alignas(cache_line) std::atomic<std::uint32_t> word_{unlocked};
  // relaxed: a hint that makes pollers give way; the mutex orders everything else.
  std::atomic<std::uint32_t> wanting_{0};
};

}  // namespace peal
