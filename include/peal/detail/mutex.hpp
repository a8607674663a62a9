// peal/detail/mutex.hpp
// std::mutex and std::lock_guard for headers that programs include: <mutex> brings the clocks
// along.
#pragma once

#include <pthread.h>

namespace peal::detail {

class mutex {
 public:
  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() { pthread_mutex_destroy(&held_); }

  // Fails only for what this is not: recursive, or with a ceiling.
  void lock() noexcept { pthread_mutex_lock(&held_); }
  void unlock() noexcept { pthread_mutex_unlock(&held_); }

 private:
  pthread_mutex_t held_ = PTHREAD_MUTEX_INITIALIZER;
};

class [[nodiscard]] mutex_guard {
 public:
  explicit mutex_guard(mutex& held) noexcept : held_{held} { held_.lock(); }
  mutex_guard(const mutex_guard&) = delete;
  mutex_guard& operator=(const mutex_guard&) = delete;
  ~mutex_guard() { held_.unlock(); }

 private:
  mutex& held_;
};

}  // namespace peal::detail
