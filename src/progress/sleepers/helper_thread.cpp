#include "progress/sleepers/helper_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include <mutex>
#include <span>
#include <system_error>
#include <utility>

namespace peal {

helper_thread::helper_thread(engine& of, wait_policy how) : engine_{of}, policy_{how} {
  if (!bell_.able()) throw std::system_error(EMFILE, std::generic_category());
  const auto before_kind = engine_.lock_.how();
  if (!engine_.shared())
    engine_.lock_.become(engine_lock::bias_available() ? engine_lock::kind::biased
                                                       : engine_lock::kind::mutex);
  engine_.helper_ = this;
  sigset_t all, before;  // signals are for the program's own threads
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    thread_ = std::thread{[this] { run(); }};
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    engine_.helper_ = nullptr;
    engine_.lock_.become(before_kind);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "peal-helper");
}

helper_thread::~helper_thread() {
  stop();
  engine_.helper_ = nullptr;
}

void helper_thread::stop() noexcept {
  if (!thread_.joinable() || thread_.get_id() == std::this_thread::get_id()) return;
  stopping_.store(true, std::memory_order_relaxed);
  bell_.ring();
  thread_.join();
}

// ---- for the engine

void helper_thread::dismiss() noexcept {
  if (!leads_) return;
  leads_ = false;
  (void)engine_.sleepers_.remove(self_);
  engine_.sources_.disarm();
  bell_.ring();
}

void helper_thread::resume() noexcept {
  if (!parked_.load(std::memory_order_relaxed)) return;
  parked_.store(false, std::memory_order_relaxed);
  bell_.ring();
}

void helper_thread::missed_turn() noexcept {
  if (!missed_.exchange(true) && parked_.load()) bell_.ring();
}

void helper_thread::started(std::size_t bytes) noexcept {
  if (bytes < large || leads_ || hastened_.exchange(true, std::memory_order_relaxed)) return;
  bell_.ring();
}

void helper_thread::report(std::vector<counter>& into) const {
  into.push_back({"async.takeovers", counted_.takeovers,
                  "times that the helper thread took over, since the program computed"});
  into.push_back(
      {"async.turns", counted_.turns, "turns of the helper thread that moved something"});
  into.push_back(
      {"async.sleeps", counted_.sleeps, "times that the helper thread slept until something came"});
  into.push_back({"async.hints", counted_.hints,
                  "times that it was woken since something large had been started"});
}

// ---- the thread

/// Whether that was cut short.
bool helper_thread::sleep(std::chrono::nanoseconds time) noexcept {
  on_ = {engine::never};
  on_.add(bell_.descriptor());
  on_.sleep(time);
  const bool rung = on_.on.front().revents != 0;
  if (rung) bell_.clear();
  return rung;
}

void helper_thread::run() noexcept {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // the usual slack is more than a glance
  const auto turns = [this] { return engine_.sources_.turns(); };
  std::uint32_t seen = turns();
  while (!stopping_.load(std::memory_order_relaxed)) {
    bool rung = sleep(tick);
    if (hastened_.load(std::memory_order_relaxed)) {
      seen = turns();
      std::this_thread::sleep_for(glance);
      hastened_.store(false, std::memory_order_relaxed);
      counted_.hints.raise();
      rung = false;
    }
    const std::uint32_t now = turns();
    if (rung || now != seen || stopping_.load(std::memory_order_relaxed)) {
      seen = now;
      continue;
    }
    if (engine_.lock_.try_revoke()) {
      // For the program, which then is not asleep any more.
      if (missed_.exchange(false)) (void)engine_.poll();
      const bool parks = engine_.slept_in();
      parked_.store(parks);
      if (!parks && !engine_.waits_.load(std::memory_order_relaxed)) serve();
      else engine_.lock_.give_back();
      if (parks && !missed_.load()) (void)sleep(std::chrono::hours{1});
    }
    seen = turns();
  }
}

/// With the lock held, which goes. Until the program polls itself.
void helper_thread::serve() noexcept {
  leads_ = true;
  wanted_.store(false, std::memory_order_relaxed);
  counted_.takeovers.raise();
  backoff pause{policy_, history_};
  std::uint32_t refused = 0;
  while (leads_) {
    if (stopping_.load(std::memory_order_relaxed) || wanted_.load(std::memory_order_relaxed)) break;
    const bool moved = engine_.poll();
    if (moved) {
      counted_.turns.raise();
      refused = 0;
    }
    auto next = pause.next(moved);
    if (next == backoff::action::sleep) {
      if (rest(pause)) {
        refused = 0;
        continue;
      }
      next = backoff::action::yield;
      ++refused;
    }
    engine_.lock_.unlock_mutex();
    // Some sources count looks before they can promise anything, so the first refusals are no
    // reason to nap.
    if (refused > most_refusals) (void)sleep(nap);
    else if (next == backoff::action::yield) pause.yield();
    else if (engine_.lock_.wanted()) sched_yield();
    engine_.lock_.lock_mutex();
  }
  // The program, where it has taken the lead back, may be inside by the short way already.
  if (!leads_) return engine_.lock_.unlock_mutex();
  leads_ = false;
  engine_.lock_.give_back();
}

/// With the lock held. False: some source could not promise to wake a thread.
bool helper_thread::rest(backoff& pause) noexcept {
  const auto found = engine_.begin_sleep(self_, false);
  bool moved = found == engine::readiness::moved;
  if (found == engine::readiness::refused) return false;
  if (found == engine::readiness::ready) {
    on_ = {engine::never};
    on_.add(bell_.descriptor());
    on_.add(self_, engine_.sources_);
    const auto sleep_unlocked = [this](std::chrono::nanoseconds most) {
      engine_.lock_.unlock_mutex();
      on_.sleep(most);
      engine_.lock_.lock_mutex();
    };
    sleep_unlocked(engine::second_look);
    if (std::exchange(on_.by_backstop, false) && leads_) {
      engine_.look_again(on_);
      if (!on_.found_late) sleep_unlocked(engine::backstop);
    }
    if (on_.on.front().revents != 0) bell_.clear();
    counted_.sleeps.raise();
    if (!leads_) return true;  // the program has disarmed, and what rings now rings for it
    moved = engine_.end_sleep(self_, on_.found(self_), on_.by_backstop) || on_.found_late;
    if (moved) counted_.turns.raise();
  }
  if (moved) pause.next(true);
  return true;
}

}  // namespace peal
