#include "progress/sleepers/family.hpp"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "progress/engine.hpp"

namespace peal {

// ---- what the engines share

engine_family::engine_family() noexcept
    : alarm_{::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)} {}

engine_family::~engine_family() {
  if (alarm_ >= 0) ::close(alarm_);
}

void engine_family::add(engine& more) {
  members_.push_back(&more);
  more.family_ = this;
}

void engine_family::set_timer(std::chrono::nanoseconds from_now) noexcept {
  const itimerspec time{{}, time_of(from_now)};
  ::timerfd_settime(alarm_, 0, &time, nullptr);
}

void engine_family::set_alarm() noexcept {
  alarms_.fetch_add(1, std::memory_order_acq_rel);
  if (set_.load(std::memory_order_acquire)) return;
  const std::lock_guard hold{mutex_};
  if (!set_.exchange(true, std::memory_order_acq_rel)) set_timer(tick);
}

void engine_family::cancel_alarm(std::uint32_t known) noexcept {
  if (!set_.load(std::memory_order_acquire)) return;
  const std::lock_guard hold{mutex_};
  if (alarms_.load(std::memory_order_acquire) != known) return;
  set_timer({});
  set_.store(false, std::memory_order_release);
  // A thread that saw `set_` just before has counted before that, and set no timer: so this caller
  // must keep the alarm then.
  if (alarms_.load(std::memory_order_acquire) == known) return;
  set_.store(true, std::memory_order_release);
  set_timer(tick);
}

void engine_family::take_alarm() noexcept {
  const std::lock_guard hold{mutex_};
  std::uint64_t times = 0;
  if (::read(alarm_, &times, sizeof times) == sizeof times)
    set_.store(false, std::memory_order_release);
}

// ---- what a wait in one engine does for the other engines

using clock = std::chrono::steady_clock;

/// Takes a turn in those other engines that had none since the last look.
bool engine::visit_others() {
  bool any = false;
  const auto& all = family_->members();
  for (std::size_t each = 0; each < all.size(); ++each) {
    engine& other = *all[each];
    if (&other == this || !other.used_.load(std::memory_order_relaxed)) continue;
    // relaxed: hints, written by any thread of this engine.
    if (const std::uint32_t now = other.sources_.turns();
        now != seen_[each].load(std::memory_order_relaxed)) {
      seen_[each].store(now, std::memory_order_relaxed);
      continue;
    }
    if (!other.try_lock()) continue;
    // A thread that sleeps there is woken for it.
    if (!other.slept_in()) any |= other.poll();
    seen_[each].store(other.sources_.turns(), std::memory_order_relaxed);
    other.unlock();
  }
  return any;
}

/// The same, and what was deferred anywhere, for a wait: at times, and at every turn while that
/// moves something.
bool engine::visit_others_at_times(wait_state& mine, std::exception_ptr& thrown) {
  if (++mine.since < mine.interval) return false;
  mine.since = 0;
  const bool any = visit_others();
  mine.interval = any ? 1 : std::min(2 * mine.interval, mine.wide ? 64U : 1024U);
  run_deferred_of_others(thrown);
  return any;
}

void engine::run_deferred_of_others(std::exception_ptr& thrown) {
  for (engine* each : family_->members())
    if (each != this && each->deferred_.any()) each->run_deferred_into(thrown);
}

/// The same for a progress call.
bool engine::turn_of_others() {
  const bool any = visit_others();
  std::exception_ptr thrown;
  run_deferred_of_others(thrown);
  if (thrown) std::rethrow_exception(thrown);
  return any;
}

bool engine::progress_everywhere() {
  const bool moved = family_ != nullptr && turn_of_others();
  return progress() || moved;
}

/// Keeps this engine for a sleeper of another, if need be; where the sleeper waits for anything, in
/// any case. Arms, and polls once more, as every sleep.
engine::kept engine::keep(engine_sleeper& by, std::atomic<std::uint32_t>& seen, thread_sleep& on,
                          wait_state& mine) {
  const bool keeps = by.bell == nullptr;
  if (!keeps) lock();
  else if (!try_lock()) return kept::busy;
  const std::lock_guard<engine> guard{*this, std::adopt_lock};
  if (keeps && slept_in()) return kept::by_others;
  // relaxed: as in visit_others.
  if (keeps && seen.exchange(sources_.turns(), std::memory_order_relaxed) != sources_.turns())
    return kept::busy;
  const readiness found = prepare();
  if (found == readiness::moved || deferred_.any()) {
    disarm_unless_slept_in();
    return kept::moved;
  }
  begin_sleep(by);
  on.add(sources_);
  if (found == readiness::refused) on.end = std::min(on.end, clock::now() + next_nap(mine.refused));
  return kept::now;
}

/// Sleeps in this engine, and in the other ones that have no thread. A wait for anything sleeps in
/// all of them alike, with a bell of its own.
engine::rest engine::sleep_in_several(question holds, deadline until, wait_state& mine) {
  struct part {
    engine_sleeper as;
    engine* in = nullptr;             // null: not slept in
    std::size_t first = 0, last = 0;  // of what is slept on
  };
  std::array<part, engine_family::most> parts;
  std::optional<wakeup> bell;
  if (mine.wide && !bell.emplace().able()) return rest::refused;
  engine_family& family = *family_;
  const std::uint32_t alarms = family.alarms();
  if (!mine.wide) family.begin_sleep();
  thread_sleep on{until};
  on.add(bell ? bell->descriptor() : family.alarm());
  bool moved = false, active = false;
  for (std::size_t each = 0; each < family.members().size() && !moved; ++each) {
    engine& other = *family.members()[each];
    if (!mine.wide && (&other == this || !other.used_.load(std::memory_order_relaxed))) continue;
    part& with = parts[each];
    with.as.bell = bell ? &*bell : nullptr;
    with.first = on.on.size();
    const kept how = other.keep(with.as, seen_[each], on, mine);
    with.last = on.on.size();
    if (how == kept::now) with.in = &other;
    moved = how == kept::moved;
    active |= how == kept::busy;
  }
  rest result = rest::moved;
  if (mine.wide) {
    if (!moved && !holds()) on.sleep(backstop);
  } else {
    if (active || family.alarm() < 0) {
      on.end = std::min(on.end, clock::now() + mine.pause);
      mine.pause = std::min(2 * mine.pause, engine_family::longest_tick);
    } else {
      mine.pause = engine_family::tick;
      family.cancel_alarm(alarms);
    }
    if (!moved && !try_lock()) {
      result = rest::refused;
    } else if (!moved) {
      result = leading_ ? rest::in_vain : lead(holds, on, mine);
      unlock();
      if (on.on.front().revents != 0) family.take_alarm();
    }
  }
  for (part& each : parts) {
    if (each.in == nullptr) continue;
    const std::lock_guard<engine> guard{*each.in};
    moved |= each.in->finish_sleep(
        &each.as, std::span{on.on}.subspan(each.first, each.last - each.first), on.by_backstop);
  }
  if (moved) mine.refused = shortest_nap;
  if (mine.wide) return holds() ? rest::held : moved ? rest::moved : rest::in_vain;
  family.rise();
  return moved && result != rest::held ? rest::moved : result;
}

}  // namespace peal
