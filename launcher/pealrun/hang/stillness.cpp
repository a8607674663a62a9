#include "hang/stillness.hpp"

#include <fmt/format.h>

#include <utility>

namespace peal::launcher {

namespace {

/// Which waits they are, so that a new wait makes a new state.
std::string state_of(const job_snapshot& of) {
  std::string made;
  for (const shown_rank& each : of.ranks) {
    made += fmt::format("{}:{}:{}", each.rank, each.ended, static_cast<unsigned>(each.phase));
    for (const shown_wait& wait : each.waits)
      made += fmt::format("/{}.{}", wait.thread, wait.began);
    if (each.waits.empty()) made += fmt::format("/{}", each.activity.collectives);
    made += '\n';
  }
  return made;
}

}  // namespace

bool stands_still(const job_snapshot& of, double seconds) {
  bool any = false;
  for (const shown_rank& each : of.ranks) {
    if (!each.ended.empty()) continue;
    if (!each.shows) return false;
    if (const shown_wait* const wait = each.wait()) {
      if (wait->seconds < seconds) return false;
      any = true;
      continue;
    }
    const bool at_a_bound =
        each.phase == state::phase::starting || each.phase == state::phase::ending;
    if (at_a_bound && each.phase_seconds >= seconds) any = any || each.phase_seconds >= seconds;
    else if (each.quiet.value_or(0) < seconds) return false;
  }
  return any;
}

bool stillness::notices(job_snapshot seen, std::size_t ranks) {
  const auto now = clock::now();
  if (any_) seen.compare(before_, std::chrono::duration<double>{now - looked_}.count());
  looked_ = now;
  any_ = true;
  before_ = std::move(seen);
  // A program that does not start peal, or not yet, is no reason to speak.
  if (before_.ranks.size() < ranks || !stands_still(before_, seconds_)) return false;
  std::string state = state_of(before_);
  if (state == told_) return false;
  told_ = std::move(state);
  return true;
}

}  // namespace peal::launcher
