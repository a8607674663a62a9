// progress/lock.hpp
// The engine's lock: none where one thread calls, a mutex where several may, and a biased one where
// a helper thread is at work beside the one that calls.
//
// Layer    progress.
// Threads  any; what belongs to the helper thread alone says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "progress/biased_lock.hpp"

namespace peal {

class engine_lock {
 public:
  enum class kind : std::uint8_t { none, mutex, biased };

  explicit engine_lock(kind how) noexcept : kind_{how} {}
  [[nodiscard]] kind how() const noexcept { return kind_; }
  /// Before there is a second thread.
  void become(kind how) noexcept { kind_ = how; }
  /// Whether the lock is real.
  [[nodiscard]] bool shared() const noexcept { return kind_ != kind::none; }
  [[nodiscard]] bool biased() const noexcept { return kind_ == kind::biased; }

  void lock() {
    if (shared() && !enter_biased()) lock_mutex();
  }
  void unlock() {
    if (shared() && !(biased() && bias_.leave())) bias_.mutex().unlock();
  }
  /// The short way of a biased lock. False: it is closed, or there is none.
  [[nodiscard]] bool enter_biased() noexcept { return biased() && bias_.enter(); }
  /// Requires: biased.
  [[nodiscard]] bool enter() noexcept { return bias_.enter(); }
  void leave() noexcept { bias_.leave_entered(); }

  // ---- the mutex, which is the lock's whatever its kind
  [[nodiscard]] std::mutex& mutex() noexcept { return bias_.mutex(); }
  [[gnu::noinline]] void lock_mutex() {
    if (mutex().try_lock()) return;
    // relaxed: a hint that makes pollers yield; the mutex orders everything else.
    wanting_.fetch_add(1, std::memory_order_relaxed);
    mutex().lock();
    wanting_.fetch_sub(1, std::memory_order_relaxed);
  }
  /// With the mutex held: opens the short way again; the caller is inside by it.
  void reclaim() noexcept {
    if (biased()) bias_.reclaim();
  }
  /// Whether threads sleep for the lock: a thread that only polls lets them in first.
  [[nodiscard]] bool wanted() const noexcept {
    return wanting_.load(std::memory_order_relaxed) != 0;
  }

  // ---- the helper thread
  /// False: another thread has it.
  [[nodiscard]] bool try_revoke() noexcept {
    if (!mutex().try_lock()) return false;
    if (!biased() || bias_.revoke()) return true;
    mutex().unlock();
    return false;
  }
  void give_back() noexcept {
    if (biased()) bias_.give_back();
    mutex().unlock();
  }

 private:
  kind kind_;  // constant once there is a second thread
  std::atomic<int> wanting_{0};
  biased_lock bias_;
};

}  // namespace peal
