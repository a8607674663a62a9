// How the engine sleeps. One thread, the leader, sleeps on all descriptors; other threads that wait
// follow it: each sleeps until its own operation has ended, or until the leader has left its wait
// and this thread takes its place. Beside them loops of the user's own sleep, each on an event
// descriptor, and threads that look after this engine while they wait in another one.
#include <algorithm>
#include <ctime>
#include <mutex>
#include <utility>

#include "base/log.hpp"
#include "progress/engine.hpp"
#include "progress/sleepers/helper_thread.hpp"
#include "topology/core_sharing.hpp"

namespace peal {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// Of the last tick, and so as cheap as a load.
std::int64_t coarse_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

// ---- arming, polling once more, and what is to be done after a sleep

/// ready: from now on whatever comes wakes the sleeper, or it is called. What came before the
/// sources were armed wakes no thread, so all of them are polled once more. Nothing is left armed
/// for a caller that is not to sleep. `naps`: it sleeps for a moment where some source is not
/// armed.
engine::readiness engine::begin_sleep(engine_sleeper& who, bool naps) {
  const bool armed = sources_.arm(), came = sources_.poll_all();
  if (came) wake_sleepers();
  if (came || !armed) disarm_unless_slept_in();
  if (came) return readiness::moved;
  if (!armed && !naps) return readiness::refused;
  sleepers_.add(who);
  counted_.sleeps.raise();
  return readiness::ready;
}

/// `found`: what could be read of what is watched. Whether something has moved.
bool engine::end_sleep(engine_sleeper& who, std::span<const pollfd> found,
                       bool by_backstop) noexcept {
  const bool slept = sleepers_.remove(who);
  const bool called = who.called.exchange(0, std::memory_order_relaxed) != 0;
  if (called && who.bell != nullptr) who.bell->clear();
  // While all is armed still: what comes later need not ring. The sender may have come this very
  // moment, and rings then.
  const bool missed = slept && by_backstop && sources_.poll_all();
  if (missed && !sources_.read_all(200ms)) counted_.missed.raise();
  const bool rung =
      std::ranges::any_of(found, [](const pollfd& each) { return each.revents != 0; });
  if (rung) {
    // What is read here, or by a source that is polled, has woken the other sleepers too.
    wake_sleepers();
    sources_.read(found, who.bell != &leader_bell_);
  }
  if (!slept_in()) {
    sources_.disarm();
    if (slept) left_alone(who.bell == nullptr || who.bell == &leader_bell_);
  }
  const bool moved = sources_.poll_all() || missed;
  if (rung || (called && who.bell != nullptr)) counted_.wakeups.raise();
  if (rung && !moved) counted_.spurious.raise();
  if (moved) wake_sleepers();
  return moved;
}

/// While all is armed still, and stays so where nothing is found. With the lock held.
void engine::look_again(thread_sleep& on) noexcept {
  if (sources_.poll_all()) {
    on.found_late = true;
    counted_.late.raise();
    wake_sleepers();
  } else {
    on.end = std::min(on.end, sources_.wakes_at());
  }
}

/// Without any lock. Whoever holds the lock of one of the engines may not give it back before this
/// thread gets up.
void engine::sleep_and_look_again(thread_sleep& on) noexcept {
  on.sleep(second_look);
  if (!std::exchange(on.by_backstop, false)) return;
  for (engine* each : on.looked_at) {
    if (!each->try_lock()) return;
    each->look_again(on);
    each->unlock();
  }
  if (!on.found_late) on.sleep(backstop);
}

void engine::wake_sleepers() noexcept {
  if (!sleepers_.any_hears_of_moves()) return;
  const bool slept = slept_in();
  sleepers_.call_for_move();
  if (!slept) return;
  if (!sources_.in_turn()) sources_.disarm();  // no one sleeps here now, so senders need not ring
  left_alone(false);
  if (!loops_.empty()) resume_helper();
}

void engine::ended(const void* operation) noexcept {
  const bool slept = slept_in();
  sleepers_.call_for_end(operation);
  if (slept && !slept_in()) left_alone(false);
}

// ---- threads

/// Not back among those that poll as long as another thread does that all the time.
engine::rest engine::sleep(question holds, deadline until, wait_state& mine) {
  for (;;) {
    if (observer_ != nullptr) note_long(holds, mine);
    const bool naps = mine.beside;
    rest result = rest::refused;
    const bool alone = family_ == nullptr;
    bool leads = !alone && mine.wide;
    if (!leads && try_lock()) {
      leads = !has_leader_ && !mine.beside;
      thread_sleep on{until};
      if (!leads) result = follow(holds, until, mine);
      else if (alone) result = lead(holds, on, mine);
      unlock();
    }  // else the thread that holds the lock makes progress, or starts something
    if (leads && !alone) result = sleep_in_several(holds, until, mine);
    if (!(naps || mine.beside) || result == rest::held || result == rest::refused ||
        deferred_.any() || clock::now() >= until)
      return result;
  }
}

/// As long as another thread holds the lock nothing is told: the next time will do.
void engine::note_long(const question& of, wait_state& mine) noexcept {
  const std::int64_t now = coarse_now();
  if (mine.begun == 0) mine.begun = mine.told = now;
  if (observer_ == nullptr || now - mine.told < long_wait.count() || !try_lock()) return;
  mine.told = now;
  observer_->lasts(of.tell != nullptr ? of.tell(of.context) : state::wait_subject{}, mine.begun,
                   mine.shown);
  unlock();
}

engine::rest engine::lead(question holds, thread_sleep& on, wait_state& mine) {
  if (time_to_look()) look_around();
  if (holds()) {
    wake_sleepers();  // to ask may have moved something
    return rest::held;
  }
  if (deferred_.any()) return rest::in_vain;
  // Before the sources are armed: a thread that wants to poll while this one does that counts.
  const bool polled_since = others_poll(mine);
  note_turns(mine);
  engine_sleeper self{.bell = &leader_bell_, .awaited = holds.sleep_for()};
  const readiness found = leader_bell_.able() ? begin_sleep(self, false) : readiness::refused;
  if (found != readiness::ready) {
    // What moved is another thread's, most likely, if that has polled while this one napped.
    mine.beside =
        found == readiness::moved && sources_.armed() && mine.nap != shortest_nap && polled_since;
    return found == readiness::moved ? rest::moved : rest::refused;
  }
  has_leader_ = true;
  on.add(leader_bell_.descriptor());
  on.add(self, sources_);
  on.looked_at.push_back(this);
  const deadline since = clock::now();
  unlock();
  sleep_and_look_again(on);
  lock();
  has_leader_ = false;
  mine.beside = others_poll(mine) && clock::now() - since < busy_gap;
  if (!mine.beside) mine.nap = shortest_nap;
  const bool moved = end_sleep(self, on.found(self), on.by_backstop) || on.found_late;
  return holds() ? rest::held : moved ? rest::moved : rest::in_vain;
}

/// Also the nap of a thread that does not want to lead now.
engine::rest engine::follow(question holds, deadline until, wait_state& mine) {
  mine.beside = false;
  if (holds()) return rest::held;
  if (deferred_.any()) return rest::in_vain;
  engine_sleeper self{.on = engine_sleeper::kind::word, .awaited = holds.sleep_for()};
  const bool naps = !has_leader_;
  std::chrono::nanoseconds most = backstop;
  if (naps) {
    most = next_nap(mine.nap);
    note_turns(mine);
    ++napping_;
  }
  sleepers_.add(self);
  const deadline end = std::min(until, clock::now() + most);
  unlock();
  for (auto left = end - clock::now(); !self.is_called() && left > 0ns; left = end - clock::now())
    futex_wait(self.called, 0, left);
  lock();
  const bool called = !sleepers_.remove(self);
  if (naps) --napping_;
  counted_.sleeps.raise();
  if (called) counted_.wakeups.raise();
  const bool held = holds();
  if (held && !called && (!naps || self.awaited != nullptr) && clock::now() < until)
    counted_.missed.raise();
  if (held) return rest::held;
  // A thread that is to lead finds nothing new.
  return called && self.awaited == nullptr ? rest::moved : rest::in_vain;
}

/// Without the lock, at the end of a wait only. One of those that followed may be needed to lead.
/// What comes in the middle of a wait ends a sleep for a moment, and the helper would go through
/// two of its own.
void engine::after_sleep() noexcept {
  const std::lock_guard<engine> guard{*this};
  if (!has_leader_ && napping_ == 0) sleepers_.call_first_on_word();
  resume_helper();
}

/// Nobody else sleeps for the program now.
void engine::resume_helper() noexcept {
  if (helper_ != nullptr && !slept_in()) helper_->resume();
}

// ---- whether ranks share cores, and what was counted

void engine::count(const backoff& pause) noexcept {
  counted_.spins.raise(pause.spins());
  counted_.yields.raise(pause.yields());
  counted_.put_offs.raise(pause.put_offs());
  if (counted_.yields >= next_share_) [[unlikely]]
    go_to_own_share();
  if (time_to_look()) [[unlikely]] {
    const std::lock_guard<engine> guard{*this};
    look_around();
  }
}

/// Ever more rarely. Left to itself the system has three of four ranks on one of two cores for some
/// tenths of a second in every second run, since not all start at once, and small collectives take
/// twice as long meanwhile.
void engine::go_to_own_share() noexcept {
  const std::lock_guard<engine> guard{*this};
  if (around_ == nullptr) return;
  if (next_share_ != 0) around_->go_to_own_share();
  next_share_.raise(next_share_ == 0 ? first_share : std::uint64_t{next_share_});
}

void engine::set_policies(const wait_policy& undersubscribed, const wait_policy& oversubscribed,
                          core_sharing& around, core_time& who_ran) noexcept {
  policies_ = {undersubscribed, oversubscribed};
  around_ = &around;
  history_.yields.watch(&who_ran);
  (void)note_cores();
  next_look_.store(coarse_now() + around_->look_interval() / 1ns, std::memory_order_relaxed);
}

/// Does not hold again for a while when it did.
bool engine::time_to_look() noexcept {
  if (around_ == nullptr) return false;
  const std::int64_t now = coarse_now();
  if (now < next_look_.load(std::memory_order_relaxed)) return false;
  next_look_.store(now + around_->look_interval() / 1ns, std::memory_order_relaxed);
  return true;
}

/// Whether ranks share cores now that did not, or the other way round.
bool engine::note_cores() noexcept {
  history_.yields.state(yield_costs::one_sleep *
                        static_cast<std::int64_t>(around_->ranks_a_core()));
  const bool now = around_->oversubscribed();
  return oversubscribed_.exchange(now, std::memory_order_relaxed) != now;
}

/// With the lock held.
void engine::look_around() noexcept {
  if (!around_->look() || !note_cores()) return;
  log_info("{}", around_->oversubscribed()
                     ? "the ranks of this node have fewer cores than they are: waits yield"
                     : "the ranks of this node have a core each: waits spin");
}

void engine::report(std::vector<counter>& into) const {
  into.push_back({"wait.spins", counted_.spins,
                  "turns that found nothing, of waits longer than about a microsecond"});
  into.push_back({"wait.yields", counted_.yields, "times that a wait gave its core away"});
  into.push_back({"wait.put_offs", counted_.put_offs,
                  "times that yields took so long that waits sleep instead for a while"});
  into.push_back({"wait.sleeps", counted_.sleeps, "times that a wait slept"});
  into.push_back({"wait.wakeups", counted_.wakeups, "sleeps that were ended by somebody"});
  into.push_back(
      {"wait.spurious", counted_.spurious, "of these, those after which nothing was there"});
  into.push_back({"wait.late", counted_.late,
                  "sleeps that found something at their second look, after a millisecond"});
  into.push_back(
      {"wait.missed", counted_.missed,
       "sleeps that a timer ended although something was there: never, unless there is an error"});
  if (helper_ != nullptr) helper_->report(into);
}

}  // namespace peal
