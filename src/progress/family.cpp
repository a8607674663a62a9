#include "progress/family.hpp"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "progress/engine.hpp"
#include "progress/time_until.hpp"

namespace peal {

// ---- what the engines share ------------------------------------------------------------------------------------------------------------

engine_family::engine_family() noexcept : alarm_{::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)} {}

engine_family::~engine_family() {
  if (alarm_ >= 0) ::close(alarm_);
}

void engine_family::add(engine& more) {
  members_.push_back(&more);
  more.family_ = this;
}

engine_family::wait_descriptors* engine_family::take_descriptors() noexcept {
  {
    const std::lock_guard hold{mutex_};
    if (!free_.empty()) {
      wait_descriptors* const taken = free_.back();
      free_.pop_back();
      return taken;
    }
  }
  // Without the mutex, which is taken with an engine's lock held.
  auto made = std::make_unique<wait_descriptors>();
  for (std::size_t each = 0; each < members_.size(); ++each)
    if (!members_[each]->open((*made)[each])) {
      for (std::size_t before = 0; before < each; ++before) members_[before]->close((*made)[before]);
      return nullptr;
    }
  const std::lock_guard hold{mutex_};
  return all_.emplace_back(std::move(made)).get();
}

void engine_family::give_back_descriptors(wait_descriptors* left) noexcept {
  const std::lock_guard hold{mutex_};
  free_.push_back(left);
}

void engine_family::set_alarm() noexcept {
  alarms_.fetch_add(1, std::memory_order_acq_rel);
  if (set_.load(std::memory_order_acquire)) return;
  const std::lock_guard hold{mutex_};
  if (set_.exchange(true, std::memory_order_acq_rel)) return;
  itimerspec time{};
  time.it_value.tv_nsec = std::chrono::nanoseconds{tick}.count();
  ::timerfd_settime(alarm_, 0, &time, nullptr);
}

void engine_family::cancel_alarm(std::uint32_t known) noexcept {
  if (!set_.load(std::memory_order_acquire)) return;
  const std::lock_guard hold{mutex_};
  if (alarms_.load(std::memory_order_acquire) != known) return;
  const itimerspec never{};
  ::timerfd_settime(alarm_, 0, &never, nullptr);
  set_.store(false, std::memory_order_release);
  // Who saw `set_` just before has counted before that: it is up to this caller to keep the alarm then.
  if (alarms_.load(std::memory_order_acquire) == known) return;
  set_.store(true, std::memory_order_release);
  itimerspec time{};
  time.it_value.tv_nsec = std::chrono::nanoseconds{tick}.count();
  ::timerfd_settime(alarm_, 0, &time, nullptr);
}

void engine_family::take_alarm() noexcept {
  const std::lock_guard hold{mutex_};
  std::uint64_t times = 0;
  if (::read(alarm_, &times, sizeof times) == sizeof times) set_.store(false, std::memory_order_release);
}

// ---- what an engine's wait does for the others -----------------------------------------------------------------------------------------

namespace {

using clock = std::chrono::steady_clock;

}  // namespace

/// Takes a turn in those others that had none since the last look. Without the lock held.
bool engine::visit(engine_family::view& seen) {
  bool any = false;
  const auto& all = family_->members();
  for (std::size_t each = 0; each < all.size(); ++each) {
    engine& other = *all[each];
    if (&other == this || !other.used_.load(std::memory_order_relaxed)) continue;
    const std::uint32_t now = other.turns_.load(std::memory_order_relaxed);
    if (!seen.looked || now != seen.turns[each]) {
      seen.turns[each] = now;
      continue;
    }
    if (!other.try_lock()) continue;
    // Who sleeps there is woken for it.
    const bool tended = other.leading_ || other.exposed_ > 0;
    if (!tended) any |= other.poll();
    seen.turns[each] = other.turns_.load(std::memory_order_relaxed);
    other.unlock();
  }
  seen.looked = true;
  return any;
}

/// The same at times, and what was deferred anywhere. True: something moved.
bool engine::look_at_others(engine_family::view& seen, std::exception_ptr& thrown) {
  if (++seen.since < seen.interval) return false;
  seen.since = 0;
  const bool any = visit(seen);
  const std::uint32_t longest = seen.wide ? 64 : 1024;
  seen.interval = any ? 1 : std::min(2 * seen.interval, longest);
  run_deferred_of_others(thrown);
  return any;
}

void engine::run_deferred_of_others(std::exception_ptr& thrown) {
  for (engine* each : family_->members())
    if (each != this && each->has_deferred_.load(std::memory_order_relaxed)) each->run_deferred_into(thrown);
}

/// A turn in every other engine that had none since the last time, and what was deferred there. Without the lock held.
bool engine::turn_of_others() {
  bool any = false;
  const auto& all = family_->members();
  for (std::size_t each = 0; each < all.size(); ++each) {
    engine& other = *all[each];
    if (&other == this || !other.used_.load(std::memory_order_relaxed)) continue;
    const std::uint32_t now = other.turns_.load(std::memory_order_relaxed);
    if (now != seen_[each].load(std::memory_order_relaxed)) {
      seen_[each].store(now, std::memory_order_relaxed);
      continue;
    }
    if (!other.try_lock()) continue;
    if (!other.leading_ && other.exposed_ == 0) any |= other.poll();
    seen_[each].store(other.turns_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    other.unlock();
  }
  std::exception_ptr thrown;
  run_deferred_of_others(thrown);
  if (thrown) std::rethrow_exception(thrown);
  return any;
}

/// The same for who calls again and again: at one call in 64, or at every one while that moves something.
bool engine::turn_of_others_at_times() {
  // relaxed, and not read-modify-write: of two threads that count at a time one may be lost.
  const std::uint32_t left = calls_left_.load(std::memory_order_relaxed) - 1;
  calls_left_.store(left, std::memory_order_relaxed);
  if (left > 0 && left < 64) return false;
  const bool moved = turn_of_others();
  calls_left_.store(moved ? 1 : 64, std::memory_order_relaxed);
  return moved;
}

bool engine::progress_everywhere() {
  const bool moved = family_ != nullptr && turn_of_others();
  return progress() || moved;
}

/// Keeps this engine for a sleeper of another, if need be.
engine::kept engine::keep(event_descriptor& by, std::uint32_t& seen, bool looked) noexcept {
  if (!try_lock()) return kept::busy;
  kept result = kept::by_others;
  if (!leading_ && exposed_ == 0) {
    const std::uint32_t now = turns_.load(std::memory_order_relaxed);
    result = looked && now == seen ? kept::now : kept::busy;
    seen = now;
  }
  if (result == kept::now) {
    by.keeper = true;
    if (!expose_locked(by)) result = kept::moved;
  }
  unlock();
  return result;
}

/// Sleeps in this engine, and takes the others along. Without the lock held.
engine::rest engine::sleep_with_family(question holds, deadline until, engine_family::view& seen) {
  if (seen.wide) return sleep_in_all(holds, until);
  if (!try_lock()) return rest::refused;
  if (leading_) {
    const rest result = follow(holds, until);  // the leader takes the others along
    unlock();
    return result;
  }
  unlock();
  engine_family& family = *family_;
  const auto& all = family.members();
  engine_family::wait_descriptors* const wait_descriptors = family.take_descriptors();
  if (wait_descriptors == nullptr) return rest::refused;
  const std::uint32_t alarms = family.alarms();
  family.lie_down();
  sleep_set with{family.alarm(), until, {}, 0};
  bool moved = false, active = false;
  for (std::size_t each = 0; each < all.size() && !moved; ++each) {
    engine& other = *all[each];
    if (&other == this || !other.used_.load(std::memory_order_relaxed)) continue;
    const kept how = other.keep((*wait_descriptors)[each], seen.turns[each], seen.looked);
    moved = how == kept::moved;
    active |= how == kept::busy;
    if (how == kept::now) with.descriptors.push_back({(*wait_descriptors)[each].number(), POLLIN, 0});
  }
  seen.looked = true;
  if (active || family.alarm() < 0) {
    with.until = std::min(until, clock::now() + seen.pause);
    seen.pause = std::min(2 * seen.pause, engine_family::longest_tick);
  } else {
    seen.pause = engine_family::tick;
    family.cancel_alarm(alarms);
  }
  rest result = rest::moved;
  if (!moved && !try_lock()) result = rest::refused;
  else if (!moved) {
    result = leading_ ? rest::in_vain : lead(holds, until, &with);
    unlock();
  }
  for (std::size_t each = 0; each < all.size(); ++each) {
    engine& other = *all[each];
    event_descriptor& mine = (*wait_descriptors)[each];
    if (&other == this || !mine.keeper) continue;
    if (other.stop_keeping(mine) && result != rest::held) result = rest::moved;
  }
  family.rise();
  family.give_back_descriptors(wait_descriptors);
  return result;
}

/// The keeper is awake.
bool engine::stop_keeping(event_descriptor& by) noexcept {
  const std::lock_guard<engine> guard{*this};
  const bool moved = settle(by);
  by.keeper = false;
  return moved;
}

/// Sleeps until something has happened in any of them. Without the lock held.
engine::rest engine::sleep_in_all(question holds, deadline until) {
  const auto& all = family_->members();
  engine_family::wait_descriptors* const wait_descriptors = family_->take_descriptors();
  if (wait_descriptors == nullptr) return rest::refused;
  std::vector<pollfd> watched;
  bool moved = false;
  for (std::size_t each = 0; each < all.size() && !moved; ++each) {
    moved = !all[each]->expose((*wait_descriptors)[each]);
    watched.push_back({(*wait_descriptors)[each].number(), POLLIN, 0});
  }
  if (!moved && !holds()) {
    const timespec time = time_until(std::min(until, clock::now() + 2 * backstop));  // each has a backstop of its own
    ::ppoll(watched.data(), watched.size(), &time, nullptr);
  }
  for (std::size_t each = 0; each < watched.size(); ++each) moved |= all[each]->disarm_and_poll((*wait_descriptors)[each]);
  family_->give_back_descriptors(wait_descriptors);
  return holds() ? rest::held : moved ? rest::moved : rest::in_vain;
}

}  // namespace peal
