#include "progress/wait_policy.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

namespace peal {

backoff::action backoff::decide() noexcept {
  if (!policy_.spins()) return decide_crowded();
  spins_ += misses_;
  misses_ = 0;
  if (policy_.polls()) return action::look;
  const auto now = clock::now();
  if (!timed_) {
    timed_ = true;
    since_ = looked_ = now;
    limit_ = history_.spin(policy_.spin());
    return action::spin;
  }
  looked_ = now;
  slept_ = now - since_ >= limit_;
  return slept_ ? action::sleep : action::spin;
}

backoff::action backoff::decide_crowded() noexcept {
  misses_ = 0;
  if (policy_.yields() == 0) return action::sleep;
  if (yields_ < policy_.yields() && history_.yields.pays()) {
    ++yields_;
    ++all_yields_;
    return action::yield;
  }
  if (timed_ && !slept_) {
    came();  // what the yields took; to sleep after them is no fault of theirs
  } else if (yields_ == 0 && !timed_) {
    timed_ = slept_ = true;
    since_ = clock::now();
  }
  return action::sleep;
}

void backoff::yield() noexcept {
  if (timed_ && slept_) came();
  // No yields by the policy: a sleep was refused.
  if (policy_.yields() == 0 || (!timed_ && !history_.yields.looks())) {
    sched_yield();
    return;
  }
  if (!timed_) {
    timed_ = true;
    since_ = looked_ = clock::now();
  }
  sched_yield();
  // The turn before it takes next to nothing, so the clock is read once for each yield.
  const auto before = std::exchange(looked_, clock::now());
  // One that took as long as so many sleeps counts as so many.
  const auto sleeps = (looked_ - before) / history_.yields.stated();
  yields_ += static_cast<std::uint32_t>(std::min<std::int64_t>(sleeps, policy_.yields()));
}

void backoff::came() noexcept {
  timed_ = false;
  if (!policy_.spins()) {
    if (std::exchange(slept_, false)) history_.yields.note_sleep(clock::now() - since_);
    else if (history_.yields.note(looked_ - since_, looked_)) ++put_offs_;
    return;
  }
  // A thread that has spun up to now takes no time to read the clock, since the message is there:
  // the time of its last look is near enough.
  const auto end = std::exchange(slept_, false) ? clock::now() : looked_;
  // A single long silence must not outweigh a hundred quick answers.
  history_.note(std::min<clock::duration>(end - since_, 8 * policy_.spin().most));
}

}  // namespace peal
