// How the engine sleeps. One thread, the leader, sleeps on all descriptors; others who wait follow it: they sleep on a condition variable
// until something has moved, or the leader has left its wait and one of them takes its place.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/log.hpp"
#include "progress/engine.hpp"
#include "progress/helper_thread.hpp"
#include "progress/time_until.hpp"
#include "topology/core_sharing.hpp"

namespace peal {

namespace {

void raise(std::atomic<std::uint64_t>& to, std::uint64_t more) noexcept {
  to.store(to.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

using namespace std::chrono_literals;

/// Of the last tick, and so as cheap as a load.
std::int64_t coarse_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void engine::watch(int descriptor, progress_source* reader) {
  watched_.push_back({descriptor, POLLIN, 0});
  readers_.push_back(reader);
  for (event_descriptor* each : outside_) each->watch(descriptor);
}

void engine::unwatch(int descriptor) noexcept {
  for (std::size_t each = watched_.size(); each-- > 0;) {
    if (watched_[each].fd != descriptor) continue;
    watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(each));
    readers_.erase(readers_.begin() + static_cast<std::ptrdiff_t>(each));
  }
  for (event_descriptor* each : outside_) each->unwatch(descriptor);
}

void engine::rouse() noexcept {
  ++roused_;
  // Nobody sleeps here any more, so who sends need not ring.
  if (withdraw() && !leading_) disarm_all();
  if (leading_) wakeup_.ring();
  if (following_.load(std::memory_order_relaxed) > 0) followers_.notify_all();
}

/// With the lock held: every source, those of `sometimes` too.
bool engine::poll_all() noexcept {
  if (polling_) return false;
  polling_ = true;
  bool moved = false;
  for (progress_source* source : every_) moved |= source->poll();
  moved |= poll_others();
  polling_ = false;
  return moved;
}

bool engine::arm_all() noexcept {
  if (std::exchange(rung_, false)) wakeup_.clear();
  bool ready = wakeup_.able() && !polling_;
  for (auto* sources : {&every_, &sometimes_})
    for (progress_source* each : *sources) ready = ready && each->arm();
  return ready;
}

void engine::disarm_all() noexcept {
  withdraw();
  for (auto* sources : {&every_, &sometimes_})
    for (progress_source* each : *sources) each->disarm();
}

engine::rest engine::sleep(question holds, deadline until, engine_family::view* others) {
  if (family_ != nullptr) return sleep_with_family(holds, until, *others);
  // Who holds the lock at the moment makes progress, or starts something.
  if (!try_lock()) return rest::refused;
  const rest result = leading_ ? follow(holds, until) : lead(holds, until, nullptr);
  unlock();
  return result;
}

engine::rest engine::lead(question holds, deadline until, sleep_set* with) {
  if (time_to_look()) look_around();
  const bool armed = arm_all();
  // Once more: what came before the sources were armed wakes nobody.
  const bool came = poll_all();
  const bool held = holds();
  if (!armed || came || held || has_deferred_.load(std::memory_order_relaxed)) {
    disarm_all();
    if ((came || held) && sleepers_ != 0) rouse();
    return held ? rest::held : came ? rest::moved : armed ? rest::in_vain : rest::refused;
  }
  leading_ = true;
  ++sleepers_;
  deadline end = until;
  for (auto* sources : {&every_, &sometimes_})
    for (const progress_source* each : *sources) end = std::min(end, each->wakes_at());
  if (with != nullptr) {
    end = std::min(end, with->until);
    // A copy, since others may look at these meanwhile.
    with->own = watched_.size();
    with->descriptors.insert(with->descriptors.begin(), watched_.begin(), watched_.end());
  }
  unlock();
  bool by_backstop = false;
  const int rung = sleep_in_poll(end, by_backstop, with);
  lock();
  bool moved = false;
  if (rung > 0 && with != nullptr) take_answers(*with);
  if (rung > 0) tell_readers(false);
  if (by_backstop) {
    moved = poll_all();
    if (moved && std::chrono::steady_clock::now() < end) note_missed();
  }
  leading_ = false;
  --sleepers_;
  disarm_all();
  left_alone(true);
  moved |= poll_all();
  count_sleep();
  if (rung > 0) count_wakeup(moved);
  if (moved && sleepers_ != 0) rouse();
  return holds() ? rest::held : moved ? rest::moved : rest::in_vain;
}

/// Without the lock. What ppoll says; less than 0 when a signal came.
int engine::sleep_in_poll(deadline end, bool& by_backstop, sleep_set* with) noexcept {
  const deadline latest = std::chrono::steady_clock::now() + backstop;
  by_backstop = latest < end;
  const timespec time = time_until(std::min(end, latest));
  if (with != nullptr) return sleep_in_poll_with(*with, time, by_backstop);
  pollfd* const all = watched_.data();
  const int rung = ::ppoll(all, watched_.size(), &time, nullptr);
  if (rung != 0) by_backstop = false;
  return rung;
}

/// How many of this engine's own descriptors rang.
int engine::sleep_in_poll_with(sleep_set& with, const timespec& time, bool& by_backstop) noexcept {
  with.descriptors.push_back({with.alarm, POLLIN, 0});
  const int rung = ::ppoll(with.descriptors.data(), with.descriptors.size(), &time, nullptr);
  if (rung != 0) by_backstop = false;
  if (rung <= 0) return rung;
  if (with.descriptors.back().revents != 0) family_->take_alarm();
  const auto own = with.descriptors.begin() + static_cast<std::ptrdiff_t>(with.own);
  return static_cast<int>(std::count_if(with.descriptors.begin(), own, [](const pollfd& each) { return each.revents != 0; }));
}

/// What rang, of those that are watched still.
void engine::take_answers(const sleep_set& with) noexcept {
  for (pollfd& each : watched_) each.revents = 0;
  for (std::size_t answer = 0; answer < with.own; ++answer)
    for (pollfd& each : watched_)
      if (each.fd == with.descriptors[answer].fd) each.revents = with.descriptors[answer].revents;
}

/// After a ppoll that found something. The engine's own pipe needs to be empty only when it is slept on again: not `at_once`, and the one
/// that was woken has its message sooner.
void engine::tell_readers(bool at_once) noexcept {
  for (std::size_t each = 0; each < watched_.size(); ++each) {
    if (watched_[each].revents == 0) continue;
    if (watched_[each].fd == wakeup_.descriptor()) {
      if (at_once) wakeup_.clear();
      else rung_ = true;
    } else if (readers_[each]) {
      readers_[each]->rang(watched_[each].fd);
    }
  }
}

/// The backstop ended a sleep, and something was there. Its sender may have come this very moment, and will ring then.
void engine::note_missed() noexcept {
  const timespec patience{0, 200'000'000};
  if (::ppoll(watched_.data(), watched_.size(), &patience, nullptr) > 0) tell_readers();
  else raise(counted_.missed, 1);
}

engine::rest engine::follow(question holds, deadline until) {
  if (holds()) return rest::held;
  if (has_deferred_.load(std::memory_order_relaxed)) return rest::in_vain;
  ++sleepers_;
  following_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t before = roused_;
  std::unique_lock hold{bias_.mutex(), std::adopt_lock};
  followers_.wait_until(hold, std::min(until, std::chrono::steady_clock::now() + backstop), [&] { return roused_ != before; });
  hold.release();  // the caller unlocks
  following_.fetch_sub(1, std::memory_order_relaxed);
  --sleepers_;
  raise(counted_.sleeps, 1);
  if (roused_ != before) raise(counted_.wakeups, 1);
  const bool held = holds();
  if (held && roused_ == before && std::chrono::steady_clock::now() < until) raise(counted_.missed, 1);
  return held ? rest::held : roused_ != before ? rest::moved : rest::in_vain;
}

void engine::count_sleep() noexcept { raise(counted_.sleeps, 1); }

void engine::count_wakeup(bool moved) noexcept {
  raise(counted_.wakeups, 1);
  if (!moved) raise(counted_.spurious, 1);
}

void engine::count(const backoff& pause) noexcept {
  raise(counted_.spins, pause.spins());
  raise(counted_.yields, pause.yields());
  if (time_to_look()) [[unlikely]] {
    const std::lock_guard<engine> guard{*this};
    look_around();
  }
}

void engine::set_policies(const wait_policy& roomy, const wait_policy& crowded, core_sharing& around) noexcept {
  policies_ = {roomy, crowded};
  crowded_.store(around.crowded(), std::memory_order_relaxed);
  around_ = &around;
  next_look_.store(coarse_now() + look_interval / 1ns, std::memory_order_relaxed);
}

/// Does not hold again for a while when it did.
bool engine::time_to_look() noexcept {
  if (around_ == nullptr) return false;
  const std::int64_t now = coarse_now();
  if (now < next_look_.load(std::memory_order_relaxed)) return false;
  next_look_.store(now + look_interval / 1ns, std::memory_order_relaxed);
  return true;
}

/// With the lock held.
void engine::look_around() noexcept {
  if (!around_->look()) return;
  crowded_.store(around_->crowded(), std::memory_order_relaxed);
  log_info("{}", around_->crowded() ? "the ranks of this node have fewer cores than they are: waits yield"
                                    : "the ranks of this node have a core each: waits spin");
}

/// One of those who followed may be needed to lead.
void engine::call_followers() noexcept {
  const std::lock_guard<engine> guard{*this};
  ++roused_;
  followers_.notify_all();
}

/// At the end of a wait only: what comes in its middle ends a sleep for a moment, and the helper would go through two of its own.
void engine::call_helper_back() noexcept {
  const std::lock_guard<engine> guard{*this};
  if (!leading_ && exposed_ == 0) helper_->resume();
}

void engine::report(std::vector<counter>& into) const {
  const auto say = [&](const char* name, const std::atomic<std::uint64_t>& value, const char* meaning) {
    into.push_back({name, value.load(std::memory_order_relaxed), meaning});
  };
  say("wait.spins", counted_.spins, "turns that found nothing, of waits longer than about a microsecond");
  say("wait.yields", counted_.yields, "times that a wait gave its core away");
  say("wait.sleeps", counted_.sleeps, "times that a wait slept");
  say("wait.wakeups", counted_.wakeups, "sleeps that were ended by somebody");
  say("wait.spurious", counted_.spurious, "of these, those after which nothing was there");
  say("wait.missed", counted_.missed, "sleeps that a timer ended although something was there: never, unless there is an error");
  if (helper_ != nullptr) helper_->report(into);
}

}  // namespace peal
