#include "progress/helper_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <mutex>
#include <system_error>

namespace peal {

namespace {

void raise(std::atomic<std::uint64_t>& to) noexcept { to.store(to.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

timespec time_of(std::chrono::nanoseconds left) noexcept {
  const auto positive = std::max<std::int64_t>(left.count(), 0);
  return {positive / 1'000'000'000, positive % 1'000'000'000};
}

}  // namespace

helper_thread::helper_thread(engine& of, wait_policy how) : engine_{of}, policy_{how} {
  if (!bell_.able()) throw std::system_error(EMFILE, std::generic_category());
  const auto before_kind = engine_.lock_;
  if (!engine_.shared()) engine_.lock_ = biased_lock::available() ? engine::lock_kind::biased : engine::lock_kind::mutex;
  engine_.helper_ = this;
  sigset_t all, before;  // signals are for the program's own threads
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    thread_ = std::thread{[this] { run(); }};
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    engine_.helper_ = nullptr;
    engine_.lock_ = before_kind;
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

// ---- for the engine --------------------------------------------------------------------------------------------------------------------

void helper_thread::dismiss() noexcept {
  if (!leads_) return;
  leads_ = false;
  engine_.disarm_all();
  bell_.ring();
}

void helper_thread::resume() noexcept {
  if (!parked_) return;
  parked_ = false;
  bell_.ring();
}

void helper_thread::started(std::size_t bytes) noexcept {
  if (bytes < large || leads_ || hastened_.exchange(true, std::memory_order_relaxed)) return;
  bell_.ring();
}

void helper_thread::report(std::vector<counter>& into) const {
  const auto say = [&](const char* name, const std::atomic<std::uint64_t>& value, const char* meaning) {
    into.push_back({name, value.load(std::memory_order_relaxed), meaning});
  };
  say("async.takeovers", counted_.takeovers, "times that the helper thread took over, since the program computed");
  say("async.turns", counted_.turns, "turns of the helper thread that moved something");
  say("async.sleeps", counted_.sleeps, "times that the helper thread slept until something came");
  say("async.hints", counted_.hints, "times that it was woken since something large had been started");
}

// ---- the thread ------------------------------------------------------------------------------------------------------------------------

void helper_thread::lock() noexcept { engine_.lock_mutex(); }
void helper_thread::unlock() noexcept { engine_.bias_.mutex().unlock(); }

/// Whether that was cut short.
bool helper_thread::sleep(std::chrono::nanoseconds time, bool for_ever) noexcept {
  pollfd one{bell_.descriptor(), POLLIN, 0};
  const timespec limit = time_of(time);
  const bool rung = ::ppoll(&one, 1, for_ever ? nullptr : &limit, nullptr) > 0;
  if (rung) bell_.clear();
  return rung;
}

void helper_thread::run() noexcept {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // the usual slack is more than a glance
  const auto turns = [this] { return engine_.turns_.load(std::memory_order_relaxed); };
  std::uint32_t seen = turns();
  while (!stopping_.load(std::memory_order_relaxed)) {
    bool rung = sleep(tick);
    if (hastened_.load(std::memory_order_relaxed)) {
      seen = turns();
      std::this_thread::sleep_for(glance);
      hastened_.store(false, std::memory_order_relaxed);
      raise(counted_.hints);
      rung = false;
    }
    const std::uint32_t now = turns();
    if (rung || now != seen || stopping_.load(std::memory_order_relaxed)) {
      seen = now;
      continue;
    }
    switch (take()) {
      case found::busy: break;
      case found::asleep: (void)sleep({}, true); break;
      case found::lead: serve(); break;
    }
    seen = turns();
  }
}

/// `lead`: with the lock held.
helper_thread::found helper_thread::take() noexcept {
  if (!engine_.bias_.mutex().try_lock()) return found::busy;
  const bool biased = engine_.biased();
  if (biased && !engine_.bias_.revoke()) {
    unlock();
    return found::busy;
  }
  const bool sleeps = engine_.leading_ || engine_.exposed_ > 0;
  if (!sleeps && !engine_.waits_.load(std::memory_order_relaxed)) {
    leads_ = true;
    wanted_.store(false, std::memory_order_relaxed);
    raise(counted_.takeovers);
    return found::lead;
  }
  parked_ = sleeps;
  const found result = parked_ ? found::asleep : found::busy;
  if (biased) engine_.bias_.give_back();
  unlock();
  return result;
}

/// With the lock held, which goes.
void helper_thread::give_back() noexcept {
  leads_ = false;
  if (engine_.biased()) engine_.bias_.give_back();
  unlock();
}

/// With the lock held, which goes. Until the program polls itself.
void helper_thread::serve() noexcept {
  backoff pause{policy_, history_};
  std::uint32_t refused = 0;
  while (leads_) {
    if (stopping_.load(std::memory_order_relaxed) || wanted_.load(std::memory_order_relaxed)) return give_back();
    const bool moved = engine_.poll();
    if (moved) {
      raise(counted_.turns);
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
    unlock();
    // Some sources count looks before they can promise anything, so the first refusals are no reason to nap.
    if (refused > most_refusals) (void)sleep(nap);
    else if (next == backoff::action::yield || engine_.wanting_.load(std::memory_order_relaxed) != 0) sched_yield();
    lock();
  }
  unlock();
}

/// With the lock held. False: some source could not promise to wake anybody.
bool helper_thread::rest(backoff& pause) noexcept {
  const bool armed = engine_.arm_all();
  // Once more: what came before the sources were armed wakes nobody.
  const bool came = engine_.poll_all();
  if (!armed || came) {
    engine_.disarm_all();
    if (came) pause.next(true);
    return came;
  }
  auto end = std::chrono::steady_clock::now() + engine::backstop;
  bool by_backstop = true;
  for (auto* sources : {&engine_.every_, &engine_.sometimes_})
    for (const progress_source* each : *sources)
      if (each->wakes_at() < end) {
        end = each->wakes_at();
        by_backstop = false;
      }
  watched_ = engine_.watched_;
  watched_.push_back({bell_.descriptor(), POLLIN, 0});
  unlock();
  const timespec limit = time_of(end - std::chrono::steady_clock::now());
  const int rung = ::ppoll(watched_.data(), watched_.size(), &limit, nullptr);
  if (watched_.back().revents != 0) bell_.clear();
  lock();
  raise(counted_.sleeps);
  if (!leads_) return true;  // the program has disarmed, and what rings now rings for it
  const bool moved = by_backstop && rung == 0 && engine_.poll_all();
  if (moved) engine_.note_missed();
  // Asked again, since what the engine has may have changed meanwhile, and what is not read would end every sleep.
  const timespec now{0, 0};
  if (rung > 0 && ::ppoll(engine_.watched_.data(), engine_.watched_.size(), &now, nullptr) > 0) engine_.tell_readers();
  engine_.disarm_all();
  return true;
}

}  // namespace peal
