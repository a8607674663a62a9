// How the engine lets others sleep for it: loops of the user's own, each on an event descriptor. They count as sleepers of the engine's, so
// whatever another thread moves wakes them, and they are told when somebody has disarmed the sources, or cleared what woke them too.
#include <algorithm>
#include <mutex>
#include <utility>

#include "progress/engine.hpp"
#include "progress/helper_thread.hpp"

namespace peal {

bool engine::open(event_descriptor& made) {
  const std::lock_guard<engine> guard{*this};
  if (!made.open(watched_)) return false;
  outside_.push_back(&made);
  return true;
}

void engine::close(event_descriptor& gone) noexcept {
  const std::lock_guard<engine> guard{*this};
  std::erase(outside_, &gone);
  retract(gone);
}

bool engine::expose(event_descriptor& to) noexcept {
  const std::lock_guard<engine> guard{*this};
  return expose_locked(to);
}

bool engine::expose_locked(event_descriptor& to) noexcept {
  if (helper_ != nullptr) helper_->dismiss();
  if (settle(to)) return false;
  // While another thread sleeps the sources are armed; when it rises it disarms them, which is told.
  const bool armed = leading_ || arm_all();
  // Once more: what came before the sources were armed wakes nobody.
  const bool came = poll_all();
  if (came) to.nap = shortest_nap;
  if (came && sleepers_ != 0) rouse();
  if (came || has_deferred_.load(std::memory_order_relaxed)) {
    if (!leading_ && exposed_ == 0) disarm_all();
    return false;
  }
  const deadline now = std::chrono::steady_clock::now();
  const deadline latest = now + backstop;
  deadline end = latest;
  if (armed) {
    for (auto* sources : {&every_, &sometimes_})
      for (const progress_source* each : *sources) end = std::min(end, each->wakes_at());
  } else {
    if (exposed_ == 0) disarm_all();
    end = now + to.nap;
    to.nap = std::min(2 * to.nap, longest_nap);
  }
  to.set_alarm(end);
  to.until_backstop = end == latest;
  to.exposed = true;
  ++exposed_;
  ++sleepers_;
  count_sleep();
  return true;
}

bool engine::surface(event_descriptor& of) {
  const bool moved = disarm_and_poll(of);
  run_deferred();
  return moved;
}

bool engine::disarm_and_poll(event_descriptor& of) noexcept {
  const std::lock_guard<engine> guard{*this};
  if (helper_ != nullptr) helper_->dismiss();
  return settle(of);
}

/// With the lock held: this one is exposed no more, and everything is polled.
bool engine::settle(event_descriptor& of) noexcept {
  const bool was = of.exposed;
  const event_descriptor::news why = of.take();
  // While all is armed still: what comes later need not ring.
  const bool by_backstop = was && why.timed && !why.rung && !why.watched && of.until_backstop && !leading_;
  const bool found = by_backstop && poll_all();
  if (found) note_missed();
  retract(of);
  if (why.watched) withdraw();  // what is cleared here, or by a source that is polled, has woken the others too
  if (why.watched && !leading_) {
    disarm_all();
    const timespec now{0, 0};
    if (::ppoll(watched_.data(), watched_.size(), &now, nullptr) > 0) tell_readers();
  }
  const bool moved = poll_all() || found;
  if (moved) of.nap = shortest_nap;
  if (why.rung || why.watched) count_wakeup(moved);
  if (moved && sleepers_ != 0) rouse();
  return moved;
}

void engine::retract(event_descriptor& from) noexcept {
  if (!std::exchange(from.exposed, false)) return;
  --exposed_;
  --sleepers_;
  if (exposed_ == 0 && helper_ != nullptr) helper_->resume();
  if (exposed_ > 0 || leading_) return;
  disarm_all();
  left_alone(from.keeper);
}

/// With the lock held: whoever sleeps outside has to look again. Keepers need not: somebody is here. Whether there were such.
bool engine::withdraw() noexcept {
  if (exposed_ == 0) return false;
  bool kept = false;
  for (event_descriptor* each : outside_) {
    if (!std::exchange(each->exposed, false)) continue;
    --sleepers_;
    kept |= each->keeper;
    if (!each->keeper) each->ring();
  }
  exposed_ = 0;
  if (helper_ != nullptr) helper_->resume();
  left_alone(false);
  return kept;
}

}  // namespace peal
