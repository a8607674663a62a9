// topology/core_sharing.hpp
// Whether the ranks of a node have a core each, now: when a rank is given other cores (taskset, a
// cpuset, a cgroup's quota) while the job runs, the next look sees it.
//
// Layer    topology: may include base/.
// Units    cores are physical cores, as in machine.hpp.
// Threads  one at a time.
// Errors   what the system does not tell stays as it was; nothing throws but the constructor,
//          std::bad_alloc.
// Source   sched_getaffinity(2): it may be asked about any process.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace peal {

/// Hardware threads; as many as Linux knows at most.
struct cpu_mask {
  static constexpr std::size_t word_bits = 64;
  std::array<std::uint64_t, 8192 / word_bits> words{};
  std::size_t used = 0;  // words of this system; the rest are 0. With many ranks each word counts

  /// Those of a process; false: it cannot be asked about.
  [[nodiscard]] bool read(pid_t) noexcept;
  [[nodiscard]] bool within(const cpu_mask& other) const noexcept;
  void add(std::size_t cpu) noexcept {
    words[cpu / word_bits] |= std::uint64_t{1} << cpu % word_bits;
  }
  [[nodiscard]] std::size_t count() const noexcept;
  /// The number of the hardware thread before which there are so many. Requires: before < count().
  [[nodiscard]] std::size_t at(std::size_t before) const noexcept;
  void join(const cpu_mask& other) noexcept;
  void remove(const cpu_mask& other) noexcept;
  [[nodiscard]] bool empty() const noexcept;
  /// Binds the calling thread to these; false: none of them is left to this process.
  bool bind() const noexcept;
  [[nodiscard]] bool has(std::size_t cpu) const noexcept {
    return (words[cpu / word_bits] >> (cpu % word_bits) & 1) != 0;
  }
};

class core_sharing {
 public:
  /// In place of a process id that means nothing to this process, since the rank is in another
  /// namespace of them. It cannot be found out which cores such a rank may use, so it is taken to
  /// have this rank's: better yield once too often than spin against each other.
  static constexpr pid_t unknown = 0;

  /// `ranks`: all processes of the job on this node, `own` among them. `stated`: how many cores the
  /// launcher says it leaves to them, which holds for as long as nothing changes; 0: it does not
  /// say.
  core_sharing(std::vector<pid_t> ranks, pid_t own, int stated);

  /// Whether a rank must give its core away to let the one that it waits for run, as of the last
  /// look.
  [[nodiscard]] bool oversubscribed() const noexcept { return ranks_a_core_ > 1; }
  /// How many ranks share a core where most do, as of the last look; 1: none.
  [[nodiscard]] std::size_t ranks_a_core() const noexcept { return ranks_a_core_; }
  /// The hardware threads on which other ranks may run and this one may not.
  [[nodiscard]] cpu_mask cores_of_others() const noexcept;
  /// Where more ranks than hardware threads may use the same of these: puts the calling thread on
  /// the one that is this rank's if they are spread evenly, and leaves it to the system from there.
  /// A third of a microsecond for each rank.
  void go_to_own_share() const noexcept;
  /// Looks again: a third of a microsecond for each rank, and a few files now and then. Whether the
  /// answer is another one.
  bool look() noexcept;

  /// How long to wait from one look to the next.
  [[nodiscard]] std::chrono::nanoseconds look_interval() const noexcept;

  /// One look in so many reads the quota, which takes as long as a hundred questions about a rank.
  static constexpr unsigned looks_a_quota = 10;

 private:
  /// What the ranks may use.
  struct affinity_snapshot {
    cpu_mask own, all;
    std::size_t ranks = 0;       // that live, or are unknown
    std::size_t within_own = 0;  // that have no core besides the own ones
    std::uint64_t digest = 0;
  };
  [[nodiscard]] bool see(affinity_snapshot&) noexcept;
  [[nodiscard]] std::size_t ranks_a_core_of(const affinity_snapshot&) noexcept;
  [[nodiscard]] std::size_t cores_in(const cpu_mask&) noexcept;
  void read_quota() noexcept;

  std::vector<pid_t> ranks_;
  pid_t own_;
  std::vector<int> core_of_;  // by hardware thread, -1: unknown; empty before it was needed
  std::optional<int> quota_;
  unsigned looks_ = 0;
  std::uint64_t first_ = 0, last_ = 0;  // digests of what was seen
  std::size_t ranks_a_core_at_first_ = 1;
  std::size_t ranks_a_core_ = 1;
};

}  // namespace peal
