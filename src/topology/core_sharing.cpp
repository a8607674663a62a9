#include "topology/core_sharing.hpp"

#include <hwloc.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <fstream>
#include <sstream>
#include <utility>

#include "topology/machine.hpp"

namespace peal {

bool cpu_mask::read(pid_t process) noexcept {
  // The bare call says how much it wrote: a few words, of the many that there may be.
  const long bytes = ::syscall(SYS_sched_getaffinity, process, sizeof words, words.data());
  if (bytes <= 0) return false;
  const std::size_t before = used;
  used = static_cast<std::size_t>(bytes) / sizeof words[0];
  for (std::size_t each = used; each < before; ++each) words[each] = 0;
  return true;
}

bool cpu_mask::within(const cpu_mask& other) const noexcept {
  for (std::size_t each = 0; each < used; ++each)
    if ((words[each] & ~other.words[each]) != 0) return false;
  return true;
}

void cpu_mask::join(const cpu_mask& other) noexcept {
  used = std::max(used, other.used);
  for (std::size_t each = 0; each < other.used; ++each) words[each] |= other.words[each];
}

void cpu_mask::remove(const cpu_mask& other) noexcept {
  for (std::size_t each = 0; each < words.size(); ++each) words[each] &= ~other.words[each];
}

bool cpu_mask::empty() const noexcept {
  return std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; });
}

std::size_t cpu_mask::count() const noexcept {
  std::size_t found = 0;
  for (std::size_t each = 0; each < used; ++each)
    found += static_cast<std::size_t>(std::popcount(words[each]));
  return found;
}

std::size_t cpu_mask::at(std::size_t before) const noexcept {
  std::size_t cpu = 0;
  while (!has(cpu) || before-- != 0) ++cpu;
  return cpu;
}

bool cpu_mask::bind() const noexcept {
  return !empty() && ::syscall(SYS_sched_setaffinity, 0, sizeof words, words.data()) == 0;
}

namespace {

void mix(std::uint64_t& digest, std::uint64_t value) noexcept {
  digest = (std::rotl(digest, 23) ^ value) * 0x9e37'79b9'7f4a'7c15;
}

/// Rounded up, and at least 1.
std::size_t divided(std::size_t ranks, std::size_t cores) noexcept {
  return cores == 0 ? std::max<std::size_t>(ranks, 1)
                    : std::max<std::size_t>((ranks + cores - 1) / cores, 1);
}

}  // namespace

core_sharing::core_sharing(std::vector<pid_t> ranks, pid_t own, int stated)
    : ranks_{std::move(ranks)}, own_{own} {
  if (affinity_snapshot now; see(now)) {
    first_ = last_ = now.digest;
    ranks_a_core_ = ranks_a_core_at_first_ =
        stated > 0 ? divided(ranks_.size(), static_cast<std::size_t>(stated))
                   : ranks_a_core_of(now);
  }
}

bool core_sharing::look() noexcept {
  affinity_snapshot now;
  if (!see(now) || now.digest == last_) return false;
  last_ = now.digest;
  const std::size_t before = std::exchange(
      ranks_a_core_, now.digest == first_ ? ranks_a_core_at_first_ : ranks_a_core_of(now));
  return ranks_a_core_ != before;
}

// As a rule often enough for a user who changes something to notice no delay. With many ranks a
// core so seldom that a rank spends no more than a hundredth of its share of the core with looking.
std::chrono::nanoseconds core_sharing::look_interval() const noexcept {
  using namespace std::chrono_literals;
  constexpr std::chrono::nanoseconds shortest = 100ms, longest = 5s, one_question = 333ns;
  return std::clamp(100 * one_question * static_cast<std::int64_t>(ranks_.size() * ranks_a_core_),
                    shortest, longest);
}

cpu_mask core_sharing::cores_of_others() const noexcept {
  cpu_mask all, each;
  for (const pid_t rank : ranks_)
    if (rank != unknown && each.read(rank)) all.join(each);
  if (each.read(own_)) all.remove(each);
  return all;
}

void core_sharing::go_to_own_share() const noexcept {
  cpu_mask mine, each;
  const auto own = std::ranges::find(ranks_, own_);
  if (own == ranks_.end() || !mine.read(0)) return;
  for (const pid_t rank : ranks_)
    if (rank == unknown || (rank != own_ && each.read(rank) && !each.within(mine))) return;
  const std::size_t threads = mine.count(), ranks = ranks_.size();
  if (threads < 2 || ranks <= threads) return;
  const auto before = static_cast<std::size_t>(own - ranks_.begin());
  const std::size_t share = mine.at(before * threads / ranks);
  if (sched_getcpu() == static_cast<int>(share)) return;
  cpu_mask only;
  only.add(share);
  if (only.bind()) (void)mine.bind();
}

bool core_sharing::see(affinity_snapshot& now) noexcept {
  if (ranks_.size() < 2 || !now.own.read(own_)) return false;
  if (looks_++ % looks_a_quota == 0) read_quota();
  now.digest = static_cast<std::uint64_t>(quota_.value_or(0));
  cpu_mask each;
  for (const pid_t rank : ranks_) {
    if (rank == unknown) each = now.own;
    else if (!each.read(rank)) continue;  // it has ended
    ++now.ranks;
    now.within_own += each.within(now.own) ? 1 : 0;
    now.all.join(each);
    for (std::size_t word = 0; word < each.used; ++word) mix(now.digest, each.words[word]);
  }
  return true;
}

/// Of the ranks that have no cores but this one's, or of all of them.
std::size_t core_sharing::ranks_a_core_of(const affinity_snapshot& now) noexcept {
  std::size_t cores = cores_in(now.all);
  if (quota_) cores = std::min(cores, static_cast<std::size_t>(*quota_));
  return std::max(divided(now.ranks, cores), divided(now.within_own, cores_in(now.own)));
}

std::size_t core_sharing::cores_in(const cpu_mask& mask) noexcept {
  try {
    if (core_of_.empty()) {
      core_of_.assign(mask.words.size() * cpu_mask::word_bits, -1);
      const machine here;
      for (hwloc_obj_t core = nullptr;
           (core = hwloc_get_next_obj_by_type(here.handle(), HWLOC_OBJ_CORE, core)) != nullptr;)
        for (int at = -1; (at = hwloc_bitmap_next(core->cpuset, at)) >= 0;)
          if (static_cast<std::size_t>(at) < core_of_.size())
            core_of_[static_cast<std::size_t>(at)] = static_cast<int>(core->logical_index);
    }
    // A hardware thread of an unknown core counts as one.
    std::vector<bool> seen(core_of_.size());
    std::size_t count = 0;
    for (std::size_t cpu = 0; cpu < core_of_.size(); ++cpu) {
      if (!mask.has(cpu)) continue;
      if (const int core = core_of_[cpu]; core >= 0) {
        if (seen[static_cast<std::size_t>(core)]) continue;
        seen[static_cast<std::size_t>(core)] = true;
      }
      ++count;
    }
    return count;
  } catch (const std::exception&) {  // no memory, or no topology: better yield once too often than
                                     // spin against each other
    return 1;
  }
}

void core_sharing::read_quota() noexcept {
  try {
    std::ostringstream membership;
    membership << std::ifstream{"/proc/self/cgroup"}.rdbuf();
    quota_ = core_quota(membership.str());
  } catch (const std::exception&) {
  }
}

}  // namespace peal
