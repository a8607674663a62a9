#include "progress/engine.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "progress/helper_thread.hpp"

namespace peal {

void engine::lock_mutex() {
  if (bias_.mutex().try_lock()) return;
  // relaxed: a hint that makes pollers yield; the mutex orders everything else.
  wanting_.fetch_add(1, std::memory_order_relaxed);
  bias_.mutex().lock();
  wanting_.fetch_sub(1, std::memory_order_relaxed);
}

/// The short way is closed, or there is none.
bool engine::try_lock_slowly() {
  if (!bias_.mutex().try_lock()) {
    if (helper_ != nullptr) helper_->make_way();
    return false;
  }
  if (helper_ != nullptr) helper_->dismiss();
  if (biased()) bias_.reclaim();
  return true;
}

bool engine::may_poll_slowly() {
  waits_.store(true, std::memory_order_relaxed);
  // relaxed: a hint; who sees it late polls once more before giving way.
  return wanting_.load(std::memory_order_relaxed) == 0 && try_lock_slowly();
}

void engine::note_started(std::size_t bytes) noexcept { helper_->started(bytes); }

void engine::give_way() noexcept { sched_yield(); }

void engine::add(progress_source& source, rate how_often) { (how_often == rate::every ? every_ : sometimes_).push_back(&source); }

void engine::remove(progress_source& source) noexcept {
  std::erase(every_, &source);
  std::erase(sometimes_, &source);
}

bool engine::poll_others() noexcept {
  bool moved = false;
  for (progress_source* source : sometimes_) moved |= source->poll();
  return moved;
}

bool engine::progress() {
  bool moved = false;
  if (try_lock()) {
    moved = poll();
    unlock();
  }
  if (family_ != nullptr) moved |= turn_of_others_at_times();
  run_deferred();
  return moved;
}

void engine::put_to_use() noexcept {
  if (!used_.exchange(true, std::memory_order_relaxed)) left_alone(false);
}

void engine::defer(void (*call)(void*), void* context) {
  deferred_.push_back({call, context});
  has_deferred_.store(true, std::memory_order_relaxed);
}

std::uint64_t engine::end_of_deferred() {
  const std::lock_guard<engine> guard{*this};
  return dropped_deferred_ + deferred_.size();
}

/// Of those before that number.
bool engine::take_deferred(deferred& next, std::uint64_t end) {
  const std::lock_guard<engine> guard{*this};
  // What the call before this one did may be what a thread waits for, and those behind `end` need one that runs them.
  if (sleepers_ != 0) rouse();
  if (first_deferred_ < deferred_.size() && dropped_deferred_ + first_deferred_ < end) {
    next = deferred_[first_deferred_++];
    return true;
  }
  deferred_.erase(deferred_.begin(), deferred_.begin() + static_cast<std::ptrdiff_t>(first_deferred_));
  dropped_deferred_ += std::exchange(first_deferred_, 0);
  has_deferred_.store(!deferred_.empty(), std::memory_order_relaxed);
  return false;
}

void engine::keep(std::exception_ptr thrown, bool first) noexcept {
  const std::lock_guard<engine> guard{*this};
  kept_.insert(first ? kept_.begin() : kept_.end(), std::move(thrown));
  has_kept_.store(true, std::memory_order_relaxed);
}

// One at a time, since a call may wait itself and so run those behind it. Only those that are there: other threads could defer more for
// ever, and who has what it waits for would not return.
void engine::run_deferred_into(std::exception_ptr& first) noexcept {
  deferred next{};
  for (const std::uint64_t end = end_of_deferred(); take_deferred(next, end);) {
    try {
      next.call(next.context);
    } catch (...) {
      if (!first) first = std::current_exception();
      else keep(std::current_exception());
    }
  }
}

void engine::run_deferred_and_rethrow() {
  std::exception_ptr first;
  run_deferred_into(first);
  if (first) keep(std::move(first), true);
  {
    const std::lock_guard<engine> guard{*this};
    if (kept_.empty()) return;
    first = std::move(kept_.front());
    kept_.erase(kept_.begin());
    has_kept_.store(!kept_.empty(), std::memory_order_relaxed);
  }
  std::rethrow_exception(first);
}

}  // namespace peal
