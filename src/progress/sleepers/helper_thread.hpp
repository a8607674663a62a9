// progress/sleepers/helper_thread.hpp
// The thread that makes progress while the program computes (PEAL_ASYNC).
//
// While the program polls, or sleeps in a wait or on an event descriptor, the program leads: the
// helper only looks, once in a tick, whether the program still takes turns. When a tick has passed
// without a turn the helper takes the lead: it polls, arms every source, and sleeps on all
// descriptors, as a wait does. The program takes the lead back with the first turn of its own. What
// the program starts meanwhile takes the mutex, and leaves the helper asleep.
//
// The helper runs nothing that was deferred: continuations belong to the program's own calls.
// Functions of reductions run wherever a message arrives, so in the helper too.
//
// Layer    progress: may include topology/, base/.
// Threads  of the engine it serves, which outlives it; each call says which thread may make it.
// Errors   start throws std::system_error where there is no thread or no descriptor to be had.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "peal/counter.hpp"
#include "progress/engine.hpp"

namespace peal {

class helper_thread {
 public:
  /// How often it looks while the program leads.
  static constexpr std::chrono::milliseconds tick{1};
  /// The same once something large was started: long enough for a thread that waits for it at once
  /// to have begun to wait.
  static constexpr std::chrono::microseconds glance{20};
  /// How often it polls where a source cannot promise to wake it.
  static constexpr std::chrono::microseconds nap{50};
  /// After so many looks in vain. A transport may count them before it does something by itself.
  static constexpr std::uint32_t most_refusals = 500;
  /// What is worth waking the helper for: moving it takes longer than the call.
  static constexpr std::size_t large = std::size_t{256} << 10;

  /// `how`: how it waits for more once something has come, before it sleeps.
  helper_thread(engine& of, wait_policy how);
  ~helper_thread();
  helper_thread(const helper_thread&) = delete;
  helper_thread& operator=(const helper_thread&) = delete;

  /// Ends it; whatever is unfinished is the program's again. Without the engine's lock. Repeated
  /// calls do nothing.
  void stop() noexcept;

 private:
  friend engine;

  // ---- for the engine: with its lock held
  /// The thread that calls is going to poll.
  void dismiss() noexcept;
  /// The thread that slept, in a wait or in a loop of its own, is back in the program.
  void resume() noexcept;
  void started(std::size_t bytes) noexcept;
  void report(std::vector<counter>&) const;
  // ---- and without
  /// The program wanted a turn and found the lock taken: it no longer sleeps, whatever the list of
  /// sleepers says.
  void missed_turn() noexcept;
  void make_way() noexcept { wanted_.store(true, std::memory_order_relaxed); }

  void run() noexcept;
  bool sleep(std::chrono::nanoseconds) noexcept;
  void serve() noexcept;
  [[nodiscard]] bool rest(backoff&) noexcept;

  engine& engine_;
  const wait_policy policy_;
  wait_history history_;
  wakeup bell_;
  thread_sleep on_;
  engine_sleeper self_{.bell = &bell_};  // while it leads and sleeps
  // relaxed: hints, but for stopping_, which bell_ follows.
  std::atomic<bool> stopping_{false};
  std::atomic<bool> wanted_{false};    // it found the lock taken
  std::atomic<bool> hastened_{false};  // `started` has rung
  // seq_cst, both: who misses a turn says so and looks whether the helper is parked, and the helper
  // parks and looks whether a turn was missed. One of them sees the other.
  std::atomic<bool> missed_{false};
  std::atomic<bool> parked_{false};  // it waits for the program, which sleeps itself; set and ended
                                     // with the engine's lock held
  // Guarded by the engine's lock.
  bool leads_ = false;  // the helper polls; its sources are armed, or it is in a turn or a nap
  struct {
    loose_count takeovers, turns, sleeps, hints;
  } counted_;
  std::thread thread_;
};

}  // namespace peal
