// progress/engine.hpp
// The progress engine: polls its sources in turn, waits until something holds, and runs what users asked to be called afterwards.
//
// Layer    progress: may include topology/, base/.
// Units    deadlines on the steady clock.
// Threads  the engine is a lock (lock, try_lock, unlock), real only when threads were asked for, or a helper thread. It guards all sources
//          and everything built on them: messages, operations, collectives. A thread that waits gives way to a thread that wants the lock
//          to start something. Who takes it with try_lock is going to poll, and takes the lead back from the helper.
// Errors   sources do not throw. What a deferred call throws comes out of the progress call that ran it. A wait that ends because
//          what it waits for has come throws nothing of that kind: a later progress call does, or the end of the job tells of it.
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "peal/counter.hpp"
#include "progress/biased_lock.hpp"
#include "progress/event_descriptor.hpp"
#include "progress/family.hpp"
#include "progress/wait_policy.hpp"
#include "progress/wakeup.hpp"

namespace peal {

class core_sharing;
class helper_thread;

/// Something that progress is made with.
class progress_source {
 public:
  /// Moves what can be moved, without waiting; true when something was. Called with the engine's lock held, never from within itself.
  virtual bool poll() noexcept = 0;

  // How the engine sleeps: it arms every source, polls all of them once more, sleeps, and disarms. All with the lock held but the sleep.
  using deadline = std::chrono::steady_clock::time_point;

  /// From now on whatever comes wakes the engine, by a watched descriptor or by its wakeup; so does what another thread gives the source to
  /// do. False: it cannot promise that now, and the engine stays awake. Also called where it is armed already.
  virtual bool arm() noexcept { return false; }
  /// Also called where `arm` said false, or was not asked.
  virtual void disarm() noexcept {}
  /// A watched descriptor of this source can be read: the source reads it, since it would end every sleep. With the lock held, disarmed
  /// afterwards.
  virtual void rang(int /*descriptor*/) noexcept {}
  /// Armed: when it wants to be polled in any case.
  [[nodiscard]] virtual deadline wakes_at() const noexcept { return deadline::max(); }

 protected:
  ~progress_source() = default;
};

class engine {
 public:
  using deadline = progress_source::deadline;
  static constexpr deadline never = deadline::max();
  /// No sleep is longer, in case a wake-up was lost. That none ever is shows the counter wait.missed.
  static constexpr std::chrono::seconds backstop{1};

  explicit engine(bool threads = false, wait_policy policy = wait_policy{})
      : lock_{threads ? lock_kind::mutex : lock_kind::none}, policies_{policy, policy} {
    if (wakeup_.able()) watch(wakeup_.descriptor());
  }
  /// Before the first wait: how to wait where every rank has a core, and where not. Which of them holds is asked again whenever a wait is
  /// over that was long, or sleeps, but not more often than that.
  void set_policies(const wait_policy& roomy, const wait_policy& crowded, core_sharing& around) noexcept;
  static constexpr std::chrono::milliseconds look_interval{100};
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  // ---- the lock
  void lock() {
    if (shared() && !enter_biased()) lock_mutex();
  }
  [[nodiscard]] bool try_lock() { return !shared() || enter_biased() || try_lock_slowly(); }
  void unlock() {
    if (shared() && !(biased() && bias_.leave())) bias_.mutex().unlock();
  }
  /// Whether the lock is real.
  [[nodiscard]] bool shared() const noexcept { return lock_ != lock_kind::none; }
  /// Whether it is shared with a helper thread alone.
  [[nodiscard]] bool biased() const noexcept { return lock_ == lock_kind::biased; }
  /// Requires: biased. Takes the lock where that is a matter of two stores and a load; false: nothing happened. `leave` gives it back.
  [[nodiscard]] bool enter() noexcept { return bias_.enter(); }
  void leave() noexcept { bias_.leave_entered(); }

  // ---- sources
  enum class rate : std::uint8_t {
    every,     // at every turn: messages
    sometimes  // at one turn in 64: news of failures
  };
  void add(progress_source&, rate = rate::every);
  void remove(progress_source&) noexcept;
  /// A descriptor that ends sleeps when it can be read. `reader` is then told; null: somebody else sees to it that it cannot be read for
  /// ever.
  void watch(int descriptor, progress_source* reader = nullptr);
  void unwatch(int descriptor) noexcept;
  /// What ends sleeps from anywhere.
  [[nodiscard]] wakeup& waking() noexcept { return wakeup_; }

  /// Whether waits spin before they give the core away; changes with the number of cores there are.
  [[nodiscard]] bool spins() const noexcept { return policies_[crowded_.load(std::memory_order_relaxed) ? 1 : 0].spins(); }

  // ---- progress
  /// One turn, with the lock held. Runs no deferred calls. From within a source (a completion hook) it does nothing.
  bool poll() noexcept {
    if (polling_) return false;
    polling_ = true;
    bool moved = false;
    for (progress_source* source : every_) moved |= source->poll();
    const std::uint32_t turns = turns_.load(std::memory_order_relaxed) + 1;
    turns_.store(turns, std::memory_order_relaxed);
    if (turns % 64 == 0) moved |= poll_others();
    polling_ = false;
    if (moved && sleepers_ != 0) [[unlikely]]
      rouse();
    return moved;
  }
  /// Something may have ended that another thread sleeps for. With the lock held; poll does this itself.
  void rouse() noexcept;
  /// One turn, and the deferred calls, without the lock held.
  bool progress();
  /// So many bytes were started that did not move at once: a helper thread need not wait for its next tick. With the lock held.
  void started(std::size_t bytes) noexcept {
    if (helper_ != nullptr) note_started(bytes);
  }
  /// Makes progress until `holds()`; false when the deadline passed first. Without the lock held. `holds` is called with it.
  template <class Predicate>
  bool wait_until(Predicate&& holds, deadline until = never) {
    return wait<true, false>(holds, until);
  }
  /// The same for a predicate that needs no lock (it reads an operation's `finished`): cheaper, and another thread's progress is seen at
  /// once.
  template <class Predicate>
  bool wait_unlocked(Predicate&& holds, deadline until = never) {
    return holds() || wait<false, false>(holds, until);
  }
  /// The same for something that may come true in any engine of the family.
  template <class Predicate>
  bool wait_anywhere(Predicate&& holds, deadline until = never) {
    return holds() || wait<false, true>(holds, until);
  }

  // ---- other engines of the process
  /// There is something in it that others are to look after. Any thread.
  void put_to_use() noexcept;
  [[nodiscard]] bool has_family() const noexcept { return family_ != nullptr; }
  /// Gives the others a turn too, at once (`progress` does it now and then). Without the lock held.
  bool progress_everywhere();

  // ---- what is to be called with no lock held
  /// Calls `call(context)` at the end of a progress call of any thread. With the lock held.
  void defer(void (*call)(void*), void* context);
  /// A later progress call rethrows it. Without the lock held.
  void defer_throw(std::exception_ptr thrown) noexcept { keep(std::move(thrown)); }
  /// Appends what was counted of waits. With the lock held.
  void report(std::vector<counter>&) const;
  /// Whether something is deferred.
  [[nodiscard]] bool owes_calls() const noexcept { return has_deferred_.load(std::memory_order_relaxed); }
  /// Runs what is deferred at the moment, and rethrows the first exception that came; what is deferred meanwhile, by these calls or by
  /// other threads, is left to a thread that sleeps, or to later progress calls. Without the lock held. Every progress call does this.
  void run_deferred() {
    if (has_deferred_.load(std::memory_order_relaxed) || has_kept_.load(std::memory_order_relaxed)) run_deferred_and_rethrow();
  }

  // ---- sleep in a loop of the user's own
  // All four without the lock held. A descriptor that is open is closed before it is destroyed.
  /// False: there are no descriptors left.
  [[nodiscard]] bool open(event_descriptor&);
  void close(event_descriptor&) noexcept;
  /// Arms, and polls once more. True: from now on whatever comes makes the descriptor readable; where a source cannot promise that, a timer
  /// does. False: something has moved.
  [[nodiscard]] bool expose(event_descriptor&) noexcept;
  /// Ends that: polls everything, and runs the deferred calls.
  bool surface(event_descriptor&);
  /// The same without the deferred calls.
  bool disarm_and_poll(event_descriptor&) noexcept;
  /// While a source cannot be armed the descriptor is readable after the shortest, and after twice as long each time that nothing came.
  static constexpr std::chrono::microseconds shortest_nap{20}, longest_nap{1000};

 private:
  friend helper_thread;
  friend engine_family;

  enum class lock_kind : std::uint8_t {
    none,
    mutex,  // threads
    biased  // one thread, and a helper
  };

  struct deferred {
    void (*call)(void*);
    void* context;
  };

  /// A predicate without its type.
  struct question {
    bool (*ask)(void*);
    void* context;
    bool operator()() const { return ask(context); }
  };
  enum class rest : std::uint8_t { refused, in_vain, moved, held };

  enum class kept : std::uint8_t { now, by_others, busy, moved };
  /// What a sleep takes along.
  struct sleep_set {
    int alarm;
    deadline until;                   // not longer
    std::vector<pollfd> descriptors;  // while it sleeps behind the engine's own
    std::size_t own = 0;              // how many those are
  };

  template <bool Locked, bool Wide, class Predicate>
  bool wait(Predicate& holds, deadline until);
  rest sleep(question holds, deadline until, engine_family::view* others);
  [[nodiscard]] rest lead(question holds, deadline until, sleep_set*);
  [[nodiscard]] rest follow(question holds, deadline until);
  [[nodiscard]] bool arm_all() noexcept;
  void disarm_all() noexcept;
  [[nodiscard]] int sleep_in_poll(deadline end, bool& by_backstop, sleep_set*) noexcept;
  void take_answers(const sleep_set&) noexcept;
  [[nodiscard]] int sleep_in_poll_with(sleep_set&, const timespec&, bool& by_backstop) noexcept;
  // family.cpp
  bool visit(engine_family::view&);
  bool look_at_others(engine_family::view&, std::exception_ptr& thrown);
  void run_deferred_of_others(std::exception_ptr& thrown);
  bool turn_of_others();
  bool turn_of_others_at_times();
  [[nodiscard]] kept keep(event_descriptor& by, std::uint32_t& seen, bool looked) noexcept;
  bool stop_keeping(event_descriptor& by) noexcept;
  [[nodiscard]] rest sleep_with_family(question holds, deadline until, engine_family::view&);
  [[nodiscard]] rest sleep_in_all(question holds, deadline until);
  void left_alone(bool self) noexcept {
    if (family_ != nullptr) family_->look_soon(self);
  }
  void tell_readers(bool at_once = true) noexcept;
  void note_missed() noexcept;
  bool expose_locked(event_descriptor&) noexcept;
  bool settle(event_descriptor&) noexcept;
  void retract(event_descriptor&) noexcept;
  bool withdraw() noexcept;
  void count_sleep() noexcept;
  void count_wakeup(bool moved) noexcept;
  bool poll_all() noexcept;
  void count(const backoff&) noexcept;
  [[nodiscard]] bool time_to_look() noexcept;
  void look_around() noexcept;
  void call_followers() noexcept;
  void call_helper_back() noexcept;
  bool poll_others() noexcept;
  [[nodiscard]] bool enter_biased() noexcept { return biased() && bias_.enter(); }
  void lock_mutex();
  bool try_lock_slowly();
  [[nodiscard]] bool may_poll() { return !shared() || may_poll_shared(); }
  bool may_poll_shared() {
    if (!biased()) return may_poll_slowly();
    // Whoever wants the lock of a biased one revokes it first.
    waits_.store(true, std::memory_order_relaxed);
    return bias_.enter() || may_poll_slowly();
  }
  bool may_poll_slowly();
  void note_started(std::size_t bytes) noexcept;
  [[nodiscard]] std::uint64_t end_of_deferred();
  bool take_deferred(deferred&, std::uint64_t end);
  void run_deferred_into(std::exception_ptr& first) noexcept;
  void run_deferred_and_rethrow();
  void keep(std::exception_ptr thrown, bool first = false) noexcept;
  static void give_way() noexcept;

  std::vector<progress_source*> every_;
  std::vector<progress_source*> sometimes_;
  std::atomic<std::uint32_t> turns_{0};  // written under the lock; relaxed: read without by a helper, which looks whether it moves
  bool polling_ = false;
  lock_kind lock_;  // constant once there is a second thread
  helper_thread* helper_ = nullptr;
  std::atomic<bool> waits_{false};       // relaxed: a hint for the helper; a thread of the program's is in a wait
  engine_family* family_ = nullptr;      // constant once there are several threads
  std::atomic<bool> used_{false};        // relaxed: a hint, but put_to_use tells sleepers
  std::array<wait_policy, 2> policies_;  // roomy, crowded
  std::atomic<bool> crowded_{false};     // relaxed, both: a wait that sees it late waits once more in the old way
  std::atomic<std::int64_t> next_look_{std::numeric_limits<std::int64_t>::max()};  // nanoseconds
  core_sharing* around_ = nullptr;                                                 // guarded by the lock
  std::array<std::atomic<std::uint32_t>, engine_family::most> seen_{};             // turns of the others, for turn_of_others
  std::atomic<std::uint32_t> calls_left_{1};                                       // of `progress`, until it looks at the others
  wait_history history_;
  wakeup wakeup_;
  bool rung_ = false;  // and not read since
  std::vector<pollfd> watched_;
  std::vector<progress_source*> readers_;   // of these, in the same order; null: none
  std::vector<event_descriptor*> outside_;  // open ones
  int exposed_ = 0;                         // how many of them are
  struct {                                  // relaxed, and not read-modify-write: of two threads that count at a time one may be lost
    std::atomic<std::uint64_t> spins{0}, yields{0}, sleeps{0}, wakeups{0}, spurious{0}, missed{0};
  } counted_;
  // Set and cleared under the lock; read without as a hint only, so relaxed.
  std::atomic<bool> has_deferred_{false};
  std::atomic<bool> has_kept_{false};  // apart, since exceptions that are kept keep nobody from sleeping
  std::vector<deferred> deferred_;     // a queue: those before first_deferred_ have been taken
  std::size_t first_deferred_ = 0;
  std::uint64_t dropped_deferred_ = 0;    // those that stand in it no more: what was deferred has a number
  std::vector<std::exception_ptr> kept_;  // thrown by calls, for the next progress calls to rethrow, one each

  biased_lock bias_;                   // its mutex is the lock's, whatever the kind
  bool leading_ = false;               // one thread sleeps on the descriptors; guarded by the lock, as are the next three
  int sleepers_ = 0;                   // it, those who follow, and those outside
  std::uint64_t roused_ = 0;           // how often
  std::condition_variable followers_;  // the others
  std::atomic<int> following_{0};      // how many; written under the lock
  std::atomic<int> wanting_{0};        // threads that sleep in lock(): those who only poll let them in first
};

template <bool Locked, bool Wide, class Predicate>
bool engine::wait(Predicate& holds, deadline until) {
  backoff pause{policies_[crowded_.load(std::memory_order_relaxed) ? 1 : 0], history_};
  engine_family::view others;
  others.begun = false;
  std::exception_ptr thrown;
  std::uint32_t passes = 0;
  bool held = false, slept_at_all = false;
  // One turn at a time where another thread may want the lock.
  const std::uint32_t at_once = lock_ == lock_kind::mutex ? 1 : pause.turns_at_once();
  for (;;) {
    bool moved = false;
    if (may_poll()) {
      if constexpr (Locked) held = holds();
      if (!held) {
        for (std::uint32_t turn = 0; turn < at_once && !moved; ++turn) moved = poll();
        if constexpr (Locked) held = moved && holds();
      }
      unlock();
    }
    if constexpr (!Locked) held = holds();
    if (has_deferred_.load(std::memory_order_relaxed)) run_deferred_into(thrown);
    if (held) break;
    if (family_ != nullptr) [[unlikely]] {
      if (!others.begun) others.begin(Wide);
      moved |= look_at_others(others, thrown);
    }
    auto next = pause.next(moved, at_once);
    if (next == backoff::action::sleep) [[unlikely]] {
      using plain = std::remove_cvref_t<Predicate>;
      const auto ask = [](void* context) -> bool { return (*static_cast<plain*>(context))(); };
      const rest slept = sleep({ask, const_cast<plain*>(&holds)}, until, &others);
      held = slept == rest::held;
      slept_at_all = true;
      if (slept == rest::moved) pause.next(true);
      if (slept == rest::refused) next = backoff::action::yield;
      if (family_ != nullptr) run_deferred_of_others(thrown);
      if (has_deferred_.load(std::memory_order_relaxed)) run_deferred_into(thrown);
      if (held) break;
    }
    if (next == backoff::action::yield) give_way();
    // The clock is read at every 64th pass only, since it costs as much as a turn.
    if (until != never && (next != backoff::action::spin || ++passes % 64 == 0) && std::chrono::steady_clock::now() >= until) break;
  }
  if (pause.over()) [[unlikely]]
    count(pause);
  if (shared()) [[unlikely]] {
    waits_.store(false, std::memory_order_relaxed);
    if (following_.load(std::memory_order_relaxed) > 0) call_followers();
    if (slept_at_all && helper_ != nullptr) call_helper_back();
  }
  if (thrown) [[unlikely]] {
    // What the caller waited for has come, and an exception of somebody else's would take it away.
    if (!held) std::rethrow_exception(thrown);
    keep(std::move(thrown), true);
  }
  return held;
}

}  // namespace peal
