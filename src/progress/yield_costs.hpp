// progress/yield_costs.hpp
// Whether it pays to give the core away while a thread waits, or better to sleep.
//
// A yield lets the other ranks of this core run, and comes back when each of them has had its turn,
// after some microseconds. Where other programs want the core, too, it may come back much later:
// Linux 6.18 puts a thread that yields behind all other threads of its group, and each of these may
// run for a slice of milliseconds first. A thread that sleeps keeps its place among them: it runs
// as soon as it is woken.
//
// So an account is kept. A wait may yield for as long as waits take that sleep. What it takes less
// is saved, up to a limit; what it takes more is spent. When more has been spent than was saved,
// waits sleep at once for a multiple of the time that was spent. Then yields are tried anew, by all
// ranks of the node at one time: what a yield takes depends on what the others do.
//
// That is all as it should be where it is the ranks of this core that run meanwhile: it is asked
// who ran (topology/core_time.hpp) before yields are put off.
//
// How long waits take that sleep is learned while yields are put off. Where a program waits for
// long, or the job does not get the cores that it wants, that is long too, and yields are no worse.
//
// Layer    progress: may include topology/.
// Threads  any; of two that note something at a time one may be lost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "topology/core_time.hpp"

namespace peal {

class yield_costs {
 public:
  using clock = std::chrono::steady_clock;
  using duration = std::chrono::nanoseconds;

  /// About what arming and waking costs on a quiet machine (wait_policy::usual).
  static constexpr std::chrono::microseconds one_sleep{20};
  /// What a wait that sleeps takes where nothing has been learned: one_sleep for each of the ranks
  /// of a core, since a yield lets each of the others run, and a sleep has each of them woken.
  void state(duration sleep) noexcept { stated_.store(sleep.count(), std::memory_order_relaxed); }
  [[nodiscard]] duration stated() const noexcept {
    return duration{stated_.load(std::memory_order_relaxed)};
  }

  /// Who ran on this rank's cores; null, as at the start: nobody knows. Before the first wait.
  void watch(core_time* cores) noexcept { cores_ = cores; }

  /// Whether to take the time that the next yield takes. As a rule one in `yields_a_look`, since
  /// the clock costs a thirtieth of a yield; all of them once some took too long.
  [[nodiscard]] bool looks() noexcept {
    if (saved_.load(std::memory_order_relaxed) != most_saved.count()) return true;
    const std::uint32_t yields = yields_.load(std::memory_order_relaxed) + 1;
    yields_.store(yields, std::memory_order_relaxed);
    return yields % yields_a_look == 0;
  }
  static constexpr std::uint32_t yields_a_look = 8;
  /// A wait has yielded for so long, up to `now`. Whether yields are put off by that.
  bool note(duration yielded, clock::time_point now) noexcept;
  /// A wait has taken so long while yields were put off.
  void note_sleep(duration waited) noexcept;

  /// Whether waits are to yield now.
  [[nodiscard]] bool pays() noexcept {
    // relaxed, here and below: an estimate
    return put_off_until_.load(std::memory_order_relaxed) == 0 || pays_again(clock::now());
  }
  /// The same at a time at which yields may have been put off.
  [[nodiscard]] bool pays_again(clock::time_point now) noexcept;

  /// Saved at the start, and when yields are tried anew. As much as some slices of the kernel:
  /// ranks that start, or a step of a program in which one rank computes while another waits, must
  /// not end what pays otherwise.
  static constexpr duration most_saved = std::chrono::milliseconds{16};
  /// A longer time counts as this, so it takes two of them in a row to put yields off: now and then
  /// a whole job gets no core for long, whatever it does.
  static constexpr duration most_noted = most_saved;
  /// Yields are put off for so much longer than was spent: a few percent of the time are lost to
  /// trials.
  static constexpr std::int64_t put_off_for = 32;
  /// They are tried anew at multiples of this time of the clock, which is the same for all ranks of
  /// a node. A rank that tried alone would find out what a yield takes while the others sleep, and
  /// each of them would hold up all others with trials of its own.
  static constexpr duration between_trials = put_off_for * most_saved;
  /// How many waits must have slept for something to be learned.
  static constexpr std::int64_t least_sleeps = 16;
  /// No wait that sleeps counts for more: a fraction of the slice that a yield may cost.
  static constexpr duration most_learned = std::chrono::microseconds{500};
  /// So long it is remembered. Then other programs may have come or gone.
  static constexpr duration remembered = 16 * between_trials;

 private:
  [[nodiscard]] duration worth(clock::time_point now) const noexcept;

  core_time* cores_ = nullptr;
  std::atomic<std::int64_t> stated_{duration{one_sleep}.count()};
  std::atomic<std::uint32_t> yields_{0};
  std::atomic<std::int64_t> saved_{most_saved.count()};
  // Of the clock. 0: yields are not put off.
  std::atomic<std::int64_t> put_off_until_{0};
  std::atomic<std::int64_t> slept_{0}, sleeps_{0};  // since they were put off
  std::atomic<std::int64_t> learned_{0}, learned_until_{0};
};

}  // namespace peal
