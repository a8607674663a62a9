#include "topology/core_time.hpp"

#include <algorithm>
#include <bit>
#include <ctime>
#include <utility>

#include "topology/core_sharing.hpp"

namespace peal {

namespace {

/// Negative: it has ended, or cannot be asked about.
core_time::duration used_by(pid_t process) noexcept {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    return core_time::duration{-1};
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

int count(const cpu_mask& of) noexcept {
  int found = 0;
  for (std::size_t word = 0; word < of.used; ++word) found += std::popcount(of.words[word]);
  return found;
}

}  // namespace

core_time::core_time(std::vector<pid_t> ranks, pid_t own) noexcept
    : ranks_{std::move(ranks)}, own_{own} {}

/// Whether something could be noted.
bool core_time::note() noexcept {
  cpu_mask own, each;
  if (!own.read(own_)) return false;
  if (ranks_.size() > most_a_core * static_cast<std::size_t>(count(own))) return false;
  used_ = {};
  digest_ = 0;
  int ranks = 0;
  for (const pid_t rank : ranks_) {
    if (rank == core_sharing::unknown) return false;
    if (!each.read(rank) || !each.within(own)) continue;
    const duration used = used_by(rank);
    if (used < duration::zero()) continue;
    used_ += used;
    digest_ = std::rotl(digest_, 7) ^ static_cast<std::uint64_t>(rank);
    ++ranks;
  }
  cores_ = std::min(ranks, count(own));
  return true;
}

void core_time::begin(clock::time_point now) noexcept { (void)ask(now); }

core_time::answer core_time::ask(clock::time_point now) noexcept {
  if (busy_.test_and_set(std::memory_order_acquire)) return answer::begun;
  const auto before = std::exchange(since_, now);
  const duration used = used_;
  const std::uint64_t digest = digest_;
  const int cores = cores_;
  answer found = answer::begun;
  if (!note()) {
    since_ = {};
    found = answer::shared;
  } else if (now - before <= longest) {
    const duration past = now - before;
    const duration missing = cores * past - (used_ - used);
    const bool same = digest == digest_ && cores == cores_;
    found = same && missing <= past / missing_at_most ? answer::ours : answer::shared;
  }
  busy_.clear(std::memory_order_release);
  return found;
}

}  // namespace peal
