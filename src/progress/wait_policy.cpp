#include "progress/wait_policy.hpp"

#include <algorithm>
#include <utility>

namespace peal {

backoff::action backoff::decide() noexcept {
  if (!policy_.spins()) {
    misses_ = 0;
    if (yields_ >= policy_.yields()) return action::sleep;
    ++yields_;
    ++all_yields_;
    return action::yield;
  }
  spins_ += misses_;
  misses_ = 0;
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

void backoff::came() noexcept {
  timed_ = false;
  // A thread that has spun up to now takes no time to read the clock, since the message is there:
  // the time of its last look is near enough.
  const auto end = std::exchange(slept_, false) ? clock::now() : looked_;
  // A single long silence must not outweigh a hundred quick answers.
  history_.note(std::min<clock::duration>(end - since_, 8 * policy_.spin().most));
}

}  // namespace peal
