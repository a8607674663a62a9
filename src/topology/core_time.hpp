// topology/core_time.hpp
// Whether the ranks of a job have had the cores of this rank for themselves lately, or other
// programs ran there as well. Where ranks share a core it takes long until one has its turn again,
// if others of the job work meanwhile as well as if another program does: only who ran tells the
// two apart.
//
// Layer    topology.
// Threads  any.
// Errors   none: what the system does not tell counts as if others had run.
// Source   clock_getcpuclockid(3): any process of the same namespace may be asked.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace peal {

class core_time {
 public:
  using clock = std::chrono::steady_clock;
  using duration = std::chrono::nanoseconds;

  /// `ranks`: all processes of the job on this node, `own` among them; 0 for one that cannot be
  /// asked about.
  core_time(std::vector<pid_t> ranks, pid_t own) noexcept;

  enum class answer : std::uint8_t {
    ours,    // ranks ran there nearly all the time
    shared,  // others did, or the cores were idle, or nobody knows
    begun    // it is too long ago that anything was noted: the next question will tell
  };
  /// From now on.
  void begin(clock::time_point now) noexcept;
  /// Since then, or since the last question; and begins anew. Some microseconds for each ten ranks,
  /// so nobody is asked where so many ranks share a core that the questions of all of them would
  /// take the time that they ask about.
  [[nodiscard]] answer ask(clock::time_point now) noexcept;

  /// Older notes say nothing of what is now.
  static constexpr duration longest = std::chrono::milliseconds{500};
  /// Of ranks a core. All of them ask about all, in a few microseconds for each ten.
  static constexpr std::size_t most_a_core = 100;
  /// Of the time of one core, so much may be missing.
  static constexpr int missing_at_most = 4;  // a fourth

 private:
  [[nodiscard]] bool note() noexcept;

  const std::vector<pid_t> ranks_;
  const pid_t own_;
  std::atomic_flag busy_;
  // Guarded by that.
  clock::time_point since_{};  // never
  duration used_{};            // by ranks that have no cores but those of this rank
  std::uint64_t digest_ = 0;   // of who these are
  int cores_ = 0;              // that they can use at one time
};

}  // namespace peal
