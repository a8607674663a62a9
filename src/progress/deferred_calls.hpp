// progress/deferred_calls.hpp
// A queue of what users asked to be called, which happens with no lock held, and the exceptions
// that such calls have thrown.
//
// Layer    progress.
// Threads  under the engine's lock, but for the two looks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace peal {

class deferred_calls {
 public:
  struct entry {
    void (*call)(void*);
    void* context;
  };

  // relaxed, both: written under the lock, and read without it as a hint only.
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  /// Apart, since exceptions that are kept keep no thread from sleeping.
  [[nodiscard]] bool any_thrown() const noexcept {
    return any_thrown_.load(std::memory_order_relaxed);
  }

  void add(const entry& last) {
    queue_.push_back(last);
    any_.store(true, std::memory_order_relaxed);
  }
  /// What is added from now on has this number, or a higher one.
  [[nodiscard]] std::uint64_t end() const noexcept { return dropped_ + queue_.size(); }
  /// Takes the first one that is before that number. False: there is none.
  [[nodiscard]] bool take(entry& next, std::uint64_t before) {
    if (taken_ < queue_.size() && dropped_ + taken_ < before) {
      next = queue_[taken_++];
      return true;
    }
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(taken_));
    dropped_ += std::exchange(taken_, 0);
    any_.store(!queue_.empty(), std::memory_order_relaxed);
    return false;
  }

  void add_thrown(std::exception_ptr thrown, bool first) {
    thrown_.insert(first ? thrown_.begin() : thrown_.end(), std::move(thrown));
    any_thrown_.store(true, std::memory_order_relaxed);
  }
  /// Null: there is none.
  [[nodiscard]] std::exception_ptr take_thrown() {
    if (thrown_.empty()) return nullptr;
    std::exception_ptr first = std::move(thrown_.front());
    thrown_.erase(thrown_.begin());
    any_thrown_.store(!thrown_.empty(), std::memory_order_relaxed);
    return first;
  }

 private:
  std::atomic<bool> any_{false};
  std::atomic<bool> any_thrown_{false};
  std::vector<entry> queue_;  // those before taken_ have been taken
  std::size_t taken_ = 0;
  std::uint64_t dropped_ = 0;  // those that stand in the queue no more
  std::vector<std::exception_ptr> thrown_;
};

}  // namespace peal
