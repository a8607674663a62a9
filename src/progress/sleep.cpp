// How the engine sleeps. One thread, the leader, sleeps on all descriptors; other threads that wait
// follow it: each sleeps until its own operation has ended, or until the leader has left its wait
// and this thread takes its place. Beside them loops of the user's own sleep, each on an event
// descriptor, and threads that look after this engine while they wait in another one.
#include "progress/sleep.hpp"

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

bool any_found(std::span<const pollfd> of) noexcept {
  return std::ranges::any_of(of, [](const pollfd& each) { return each.revents != 0; });
}

}  // namespace

void thread_sleep::sleep(std::chrono::nanoseconds most) noexcept {
  const timespec time = time_of(std::min<clock::duration>(end - clock::now(), most));
  const int found = ::ppoll(on.data(), on.size(), &time, nullptr);
  if (found < 0)  // a signal came
    for (pollfd& each : on) each.revents = 0;
  by_backstop = found == 0 && clock::now() < end;
}

// ---- arming, polling once more, and what is to be done after a sleep

/// Whatever comes after this wakes the threads that sleep on the descriptors. What came before the
/// sources were armed wakes no thread, so all of them are polled once more. Nothing is left armed
/// for a caller that is not to sleep.
engine::readiness engine::prepare() noexcept {
  const bool armed = leading_ || sources_.arm();
  const bool came = sources_.poll_all();
  if (came && listeners_ != 0) wake_sleepers();
  if (armed && !came) return readiness::ready;
  disarm_unless_slept_in();
  return came ? readiness::moved : readiness::refused;
}

/// `who` sleeps no more; null: the leader. `found`: what could be read of what is watched. Whether
/// something has moved.
bool engine::finish_sleep(engine_sleeper* who, std::span<const pollfd> found,
                          bool by_backstop) noexcept {
  const bool slept = who == nullptr || end_sleep(*who);
  // While all is armed still: what comes later need not ring. The sender may have come this very
  // moment, and rings then.
  const bool missed = slept && by_backstop && sources_.poll_all();
  if (missed && !sources_.read_all(200ms)) counted_.missed.raise();
  const bool rung = any_found(found);
  // What is cleared here, or by a source that is polled, has woken the other threads too.
  if (rung) withdraw();
  if (rung && !leading_) sources_.read(found, who != nullptr);
  if (!slept_in()) {
    sources_.disarm();
    if (slept) left_alone(who == nullptr || who->bell == nullptr);
  }
  const bool moved = sources_.poll_all() || missed;
  if (rung) counted_.wakeups.raise();
  if (rung && !moved) counted_.spurious.raise();
  if (moved && listeners_ != 0) wake_sleepers();
  return moved;
}

void engine::wake_sleepers() noexcept {
  for (follower* each : followers_)
    if (each->awaited == nullptr) each->call();
  withdraw();
  if (leading_) ring_leader();
  else if (!sources_.in_turn())
    sources_.disarm();  // no thread sleeps here any more, so senders need not ring
}

void engine::ring_leader() noexcept {
  if (!std::exchange(leader_woken_, true)) sources_.waking().ring();
}

void engine::ended(const void* operation) noexcept {
  for (follower* each : followers_)
    if (each->awaited == operation) each->call();
  if (leading_ && leader_awaits_ == operation) ring_leader();
}

// ---- threads

/// Not back among those that poll as long as another thread does that all the time.
engine::rest engine::sleep(question holds, deadline until, wait_state& mine) {
  for (;;) {
    const bool naps = mine.beside;
    rest result = rest::refused;
    const bool alone = family_ == nullptr;
    bool leads = !alone && mine.wide;
    if (!leads && try_lock()) {
      leads = !leading_ && !mine.beside;
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

engine::rest engine::lead(question holds, thread_sleep& on, wait_state& mine) {
  if (time_to_look()) look_around();
  // Before the sources are armed: a thread that wants to poll while this one does that counts.
  const bool polled_since = others_poll(mine);
  note_turns(mine);
  const readiness found = prepare();
  const bool held_already = holds();
  if (found != readiness::ready || held_already || deferred_.any()) {
    // What moved is another thread's, most likely, if that has polled while this one napped.
    mine.beside =
        found == readiness::moved && sources_.armed() && mine.nap != shortest_nap && polled_since;
    if (held_already && listeners_ != 0) wake_sleepers();
    disarm_unless_slept_in();
    if (held_already) return rest::held;
    return found == readiness::moved   ? rest::moved
           : found == readiness::ready ? rest::in_vain
                                       : rest::refused;
  }
  leading_ = true;
  leader_woken_ = false;
  leader_awaits_ = holds.sleep_for();
  ++listeners_;
  const std::size_t first = on.on.size();
  on.add(sources_);
  const deadline since = clock::now();
  unlock();
  on.sleep(backstop);
  lock();
  leading_ = false;
  --listeners_;
  counted_.sleeps.raise();
  mine.beside = others_poll(mine) && clock::now() - since < busy_gap;
  if (!mine.beside) mine.nap = shortest_nap;
  const bool moved = finish_sleep(nullptr, std::span{on.on}.subspan(first), on.by_backstop);
  const bool held = holds();
  return held ? rest::held : moved ? rest::moved : rest::in_vain;
}

/// Also the nap of a thread that does not want to lead now.
engine::rest engine::follow(question holds, deadline until, wait_state& mine) {
  mine.beside = false;
  if (holds()) return rest::held;
  if (deferred_.any()) return rest::in_vain;
  follower self{holds.sleep_for()};
  const bool naps = !leading_;
  std::chrono::nanoseconds most = backstop;
  if (naps) {
    most = next_nap(mine.nap);
    note_turns(mine);
    ++napping_;
  }
  followers_.push_back(&self);
  if (self.awaited == nullptr) ++listeners_;
  const deadline end = std::min(until, clock::now() + most);
  unlock();
  for (auto left = end - clock::now(); !self.is_called() && left > 0ns; left = end - clock::now())
    futex_wait(self.called, 0, left);
  lock();
  std::erase(followers_, &self);
  if (self.awaited == nullptr) --listeners_;
  if (naps) --napping_;
  counted_.sleeps.raise();
  if (self.is_called()) counted_.wakeups.raise();
  const bool held = holds();
  if (held && !self.is_called() && (!naps || self.awaited != nullptr) && clock::now() < until)
    counted_.missed.raise();
  if (held) return rest::held;
  // A thread that is to lead finds nothing new.
  return self.is_called() && self.awaited == nullptr ? rest::moved : rest::in_vain;
}

/// Without the lock, at the end of a wait only. One of those that followed may be needed to lead.
/// What comes in the middle of a wait ends a sleep for a moment, and the helper would go through
/// two of its own.
void engine::after_sleep() noexcept {
  const std::lock_guard<engine> guard{*this};
  if (!leading_ && napping_ == 0 && !followers_.empty()) followers_.front()->call();
  if (helper_ != nullptr && !slept_in()) helper_->resume();
}

// ---- beside the thread that leads

void engine::begin_sleep(engine_sleeper& who) {
  who.asleep = true;
  asleep_.push_back(&who);
  ++listeners_;
  counted_.sleeps.raise();
}

/// Whether it slept still.
bool engine::end_sleep(engine_sleeper& who) noexcept {
  if (!std::exchange(who.asleep, false)) return false;
  std::erase(asleep_, &who);
  --listeners_;
  if (asleep_.empty() && helper_ != nullptr) helper_->resume();
  return true;
}

/// The threads that sleep beside the leader have to look again. Keepers need not: a thread is awake
/// in this engine.
void engine::withdraw() noexcept {
  if (asleep_.empty()) return;
  listeners_ -= static_cast<int>(asleep_.size());
  for (engine_sleeper* each : asleep_) {
    each->asleep = false;
    if (each->bell != nullptr) each->bell->ring();
  }
  asleep_.clear();
  if (helper_ != nullptr) helper_->resume();
  left_alone(false);
}

bool engine::open(event_descriptor& made) {
  const std::lock_guard<engine> guard{*this};
  if (!made.open(sources_.watched())) return false;
  loops_.push_back(&made);
  return true;
}

void engine::close(event_descriptor& gone) noexcept {
  const std::lock_guard<engine> guard{*this};
  std::erase(loops_, &gone);
  if (!end_sleep(gone) || slept_in()) return;
  sources_.disarm();
  left_alone(false);
}

bool engine::arm(event_descriptor& to) noexcept {
  const std::lock_guard<engine> guard{*this};
  if (helper_ != nullptr) helper_->dismiss();
  if (settle(to)) return false;
  const readiness found = prepare();
  if (found == readiness::moved) to.nap = shortest_nap;
  if (found == readiness::moved || deferred_.any()) {
    disarm_unless_slept_in();
    return false;
  }
  const std::chrono::nanoseconds time =
      found == readiness::refused
          ? next_nap(to.nap)
          : std::min<clock::duration>(backstop, sources_.wakes_at() - clock::now());
  to.set_alarm(time);
  to.until_backstop = time == backstop;
  begin_sleep(to);
  return true;
}

bool engine::disarm(event_descriptor& of) {
  bool moved = false;
  {
    const std::lock_guard<engine> guard{*this};
    if (helper_ != nullptr) helper_->dismiss();
    moved = settle(of);
  }
  run_deferred();
  return moved;
}

/// This one sleeps no more, and everything is polled.
bool engine::settle(event_descriptor& of) noexcept {
  const event_descriptor::news why = of.take();
  std::vector<pollfd> found;
  if (why.watched) {
    found = sources_.watched();
    const timespec now{};
    (void)::ppoll(found.data(), found.size(), &now, nullptr);
  }
  if (why.rung && !why.watched) counted_.wakeups.raise();
  const bool by_backstop = why.timed && !why.rung && !why.watched && of.until_backstop && !leading_;
  const bool moved = finish_sleep(&of, found, by_backstop);
  if (moved) of.nap = shortest_nap;
  return moved;
}

// ---- whether ranks share cores, and what was counted

void engine::count(const backoff& pause) noexcept {
  counted_.spins.raise(pause.spins());
  counted_.yields.raise(pause.yields());
  if (time_to_look()) [[unlikely]] {
    const std::lock_guard<engine> guard{*this};
    look_around();
  }
}

void engine::set_policies(const wait_policy& undersubscribed, const wait_policy& oversubscribed,
                          core_sharing& around) noexcept {
  policies_ = {undersubscribed, oversubscribed};
  oversubscribed_.store(around.oversubscribed(), std::memory_order_relaxed);
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
  oversubscribed_.store(around_->oversubscribed(), std::memory_order_relaxed);
  log_info("{}", around_->oversubscribed()
                     ? "the ranks of this node have fewer cores than they are: waits yield"
                     : "the ranks of this node have a core each: waits spin");
}

void engine::report(std::vector<counter>& into) const {
  into.push_back({"wait.spins", counted_.spins,
                  "turns that found nothing, of waits longer than about a microsecond"});
  into.push_back({"wait.yields", counted_.yields, "times that a wait gave its core away"});
  into.push_back({"wait.sleeps", counted_.sleeps, "times that a wait slept"});
  into.push_back({"wait.wakeups", counted_.wakeups, "sleeps that were ended by somebody"});
  into.push_back(
      {"wait.spurious", counted_.spurious, "of these, those after which nothing was there"});
  into.push_back(
      {"wait.missed", counted_.missed,
       "sleeps that a timer ended although something was there: never, unless there is an error"});
  if (helper_ != nullptr) helper_->report(into);
}

}  // namespace peal
