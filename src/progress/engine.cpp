#include "progress/engine.hpp"

#include <mutex>
#include <utility>

#include "progress/sleepers/helper_thread.hpp"

namespace peal {

/// The short way is closed, or there is none.
bool engine::try_lock_slow() {
  if (!lock_.try_lock_mutex()) {
    if (!lock_refused_.load(std::memory_order_relaxed))
      lock_refused_.store(true, std::memory_order_relaxed);
    if (helper_ != nullptr) helper_->make_way();
    return false;
  }
  if (helper_ != nullptr) helper_->dismiss();
  lock_.reclaim();
  return true;
}

bool engine::may_poll_slow() {
  waits_.store(true, std::memory_order_relaxed);
  // A thread that sees it late polls once more before it gives way.
  return !lock_.wanted() && try_lock_slow();
}

void engine::note_started(std::size_t bytes) noexcept { helper_->started(bytes); }

void engine::watch(int descriptor, progress_source* reader) {
  sources_.watch(descriptor, reader);
  for (event_descriptor* each : loops_) each->watch(descriptor);
}

void engine::unwatch(int descriptor) noexcept {
  sources_.unwatch(descriptor);
  for (event_descriptor* each : loops_) each->unwatch(descriptor);
}

bool engine::progress() {
  bool moved = false;
  if (try_lock()) {
    moved = poll();
    unlock();
  } else {
    // Unlike a wait, which asks again, this may be the program's last call for a long time.
    if (helper_ != nullptr) helper_->missed_turn();
  }
  if (family_ != nullptr) {
    // relaxed, and not read-modify-write: where two threads count at a time one count may be lost.
    const std::uint32_t left = calls_left_.load(std::memory_order_relaxed) - 1;
    const bool now = left == 0 || left > 64;
    const bool any = now && turn_of_others();
    calls_left_.store(any ? 1 : now ? 64 : left, std::memory_order_relaxed);
    moved |= any;
  }
  run_deferred();
  return moved;
}

void engine::put_to_use() noexcept {
  if (!used_.exchange(true, std::memory_order_relaxed)) left_alone(false);
}

void engine::defer_throw(std::exception_ptr thrown, bool first) noexcept {
  const std::lock_guard<engine> guard{*this};
  deferred_.add_thrown(std::move(thrown), first);
}

// One at a time, since a call may wait itself and so run those behind it. Only those that are
// there: other threads could defer more for ever, and a thread that has what it waits for would not
// return.
void engine::run_deferred_into(std::exception_ptr& first) noexcept {
  deferred_calls::entry next{};
  lock();
  for (const std::uint64_t end = deferred_.end();;) {
    const bool any = deferred_.take(next, end);
    unlock();
    if (!any) return;
    try {
      next.call(next.context);
    } catch (...) {
      if (!first) first = std::current_exception();
      else defer_throw(std::current_exception());
    }
    lock();
    // What the call did may be what a thread waits for, and those behind `end` need one that runs
    // them.
    if (sleepers_.any_hears_of_moves()) wake_sleepers();
  }
}

void engine::run_deferred_and_rethrow() {
  std::exception_ptr first;
  run_deferred_into(first);
  if (first) defer_throw(std::move(first), true);
  {
    const std::lock_guard<engine> guard{*this};
    first = deferred_.take_thrown();
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace peal
