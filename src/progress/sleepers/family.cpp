#include "progress/sleepers/family.hpp"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
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
  const std::lock_guard hold{mutex_};
  ++alarms_;
  if (!std::exchange(set_, true)) set_timer(tick);
}

std::uint32_t engine_family::alarms() noexcept {
  const std::lock_guard hold{mutex_};
  return alarms_;
}

bool engine_family::cancel_alarm(std::uint32_t known) noexcept {
  const std::lock_guard hold{mutex_};
  if (alarms_ != known || !std::exchange(set_, false)) return false;
  set_timer({});
  return true;
}

bool engine_family::take_alarm() noexcept {
  const std::lock_guard hold{mutex_};
  std::uint64_t times = 0;
  if (::read(alarm_, &times, sizeof times) != sizeof times) return false;
  set_ = false;
  return true;
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
  if (deferred_.any() || begin_sleep(by, true) != readiness::ready) return kept::moved;
  on.add(by, sources_);
  on.looked_at.push_back(this);
  if (!sources_.armed()) on.end = std::min(on.end, clock::now() + next_nap(mine.refused));
  return kept::now;
}

/// Sleeps in this engine, and in the other ones that have no thread. A wait for anything sleeps in
/// all of them alike, with a bell of its own.
engine::rest engine::sleep_in_several(question holds, deadline until, wait_state& mine) {
  struct part {
    engine_sleeper as;
    engine* in = nullptr;  // null: not slept in
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
    const kept how = other.keep(with.as, seen_[each], on, mine);
    if (how == kept::now) with.in = &other;
    moved = how == kept::moved;
    active |= how == kept::busy;
  }
  rest result = rest::moved;
  bool took = false;
  if (mine.wide) {
    if (!moved && !holds()) sleep_and_look_again(on);
  } else {
    if (active || family.alarm() < 0) {
      on.end = std::min(on.end, clock::now() + mine.pause);
      mine.pause = std::min(2 * mine.pause, engine_family::longest_tick);
    } else {
      mine.pause = engine_family::tick;
      took = family.cancel_alarm(alarms);
    }
    if (!moved && !try_lock()) {
      result = rest::refused;
    } else if (!moved) {
      result = has_leader_ ? rest::in_vain : lead(holds, on, mine);
      unlock();
      const bool slept = std::ranges::find(on.looked_at, this) != on.looked_at.end();
      took = (took && !slept) || (on.on.front().revents != 0 && family.take_alarm());
    }
  }
  for (part& each : parts) {
    if (each.in == nullptr) continue;
    const std::lock_guard<engine> guard{*each.in};
    moved |= each.in->end_sleep(each.as, on.found(each.as), on.by_backstop);
  }
  moved |= on.found_late;
  if (moved) mine.refused = shortest_nap;
  if (mine.wide) return holds() ? rest::held : moved ? rest::moved : rest::in_vain;
  // The next sleep takes it back. There may be none.
  if (took) family.look_soon(true);
  family.rise();
  return moved && result != rest::held ? rest::moved : result;
}

}  // namespace peal
