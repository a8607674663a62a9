#include "progress/yield_costs.hpp"

#include <algorithm>

namespace peal {

namespace {

// Read and written apart: of two threads that note something at a time one may be lost.
constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

bool yield_costs::note(duration yielded, clock::time_point now) noexcept {
  const duration saved{saved_.load(relaxed)};
  const duration left = std::min(saved + worth(now) - std::min(yielded, most_noted), most_saved);
  const bool pays = left >= duration::zero() ||
                    // The cores were not taken away: the others of the job had work to do.
                    (cores_ != nullptr && cores_->ask(now) != core_time::answer::shared);
  // What is left of an account that was exceeded for a good reason is a whole one.
  saved_.store((left >= duration::zero() ? left : most_saved).count(), relaxed);
  if (pays) return false;
  const auto earliest = now.time_since_epoch() + put_off_for * (most_saved - left);
  put_off_until_.store((earliest / between_trials + 1) * between_trials.count(), relaxed);
  return true;
}

void yield_costs::note_sleep(duration waited) noexcept {
  slept_.store(slept_.load(relaxed) + std::min(waited, most_noted).count(), relaxed);
  sleeps_.store(sleeps_.load(relaxed) + 1, relaxed);
}

bool yield_costs::pays_again(clock::time_point now) noexcept {
  const std::int64_t at = now.time_since_epoch().count();
  if (at < put_off_until_.load(relaxed)) return false;
  put_off_until_.store(0, relaxed);
  if (cores_ != nullptr) cores_->begin(now);
  const std::int64_t sleeps = sleeps_.load(relaxed);
  if (sleeps >= least_sleeps) {
    learned_.store(std::min(slept_.load(relaxed) / sleeps, most_learned.count()), relaxed);
    learned_until_.store(at + remembered.count(), relaxed);
  }
  slept_.store(0, relaxed);
  sleeps_.store(0, relaxed);
  return true;
}

yield_costs::duration yield_costs::worth(clock::time_point now) const noexcept {
  if (now.time_since_epoch().count() >= learned_until_.load(relaxed)) return stated();
  return std::max(stated(), duration{learned_.load(relaxed)});
}

}  // namespace peal
