// progress/engine.hpp
// The progress engine: polls its sources in turn, waits until a condition holds, and runs what
// users asked to be called afterwards.
//
// Layer    progress: may include topology/, base/.
// Units    deadlines on the steady clock.
// Threads  the engine is a lock (lock, try_lock, unlock), real only when threads were asked for, or
//          a helper thread. It guards all sources and everything built on them: messages,
//          operations, collectives. A thread that waits gives way to a thread that wants the lock
//          to start something. A thread that takes it with try_lock is going to poll, and takes the
//          lead back from the helper.
// Errors   sources do not throw. What a deferred call throws comes out of the progress call that
//          ran it. A wait that ends because what it waits for has come throws nothing of that kind:
//          a later progress call does, or the end of the job tells of it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "peal/counter.hpp"
#include "progress/deferred_calls.hpp"
#include "progress/engine_sleeper.hpp"
#include "progress/lock.hpp"
#include "progress/sleepers/event_descriptor.hpp"
#include "progress/sleepers/family.hpp"
#include "progress/sources.hpp"
#include "progress/wait_policy.hpp"
#include "progress/wakeup.hpp"
#include "state/wait_subject.hpp"

namespace peal {

class core_sharing;
class core_time;
class helper_thread;

/// relaxed, and not read-modify-write: where two threads count at a time one count may be lost.
class loose_count {
 public:
  void raise(std::uint64_t more = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  operator std::uint64_t() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class engine {
 public:
  using deadline = progress_source::deadline;
  static constexpr deadline never = deadline::max();
  /// No sleep is longer, in case a wake-up was lost. That none ever is shows the counter
  /// wait.missed.
  static constexpr std::chrono::seconds backstop{1};
  /// What is found then is counted by wait.late.
  static constexpr auto second_look = progress_source::second_look;
  /// So many yields, and then twice as many as before each time, until a rank goes to its share of
  /// the cores.
  static constexpr std::uint64_t first_share = 16;

  explicit engine(bool threads = false, wait_policy policy = wait_policy{})
      : lock_{threads ? engine_lock::kind::mutex : engine_lock::kind::none},
        policies_{policy, policy} {}
  /// Before the first wait: how to wait where every rank has a core, and where not. Which of them
  /// holds is asked again whenever a wait is over that was long, or sleeps, but not more often than
  /// core_sharing::look_interval says.
  void set_policies(const wait_policy& undersubscribed, const wait_policy& oversubscribed,
                    core_sharing& around, core_time& who_ran) noexcept;
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  // ---- the lock
  void lock() { lock_.lock(); }
  [[nodiscard]] bool try_lock() { return !shared() || lock_.enter_biased() || try_lock_slow(); }
  void unlock() { lock_.unlock(); }
  /// Whether the lock is real.
  [[nodiscard]] bool shared() const noexcept { return lock_.shared(); }
  /// Whether it is shared with a helper thread alone.
  [[nodiscard]] bool biased() const noexcept { return lock_.biased(); }
  /// Requires: biased. Takes the lock where that is a matter of two stores and a load; false:
  /// nothing happened. `leave` gives it back.
  [[nodiscard]] bool enter() noexcept { return lock_.enter(); }
  void leave() noexcept { lock_.leave(); }

  // ---- sources
  using rate = source_list::rate;
  void add(progress_source& source, rate how_often = rate::every) {
    sources_.add(source, how_often);
  }
  void remove(progress_source& source) noexcept { sources_.remove(source); }
  /// A descriptor that ends sleeps when it can be read. `reader` is then told; null: another part
  /// sees to it that it does not stay readable.
  void watch(int descriptor, progress_source* reader = nullptr);
  void unwatch(int descriptor) noexcept;
  /// What ends sleeps from anywhere.
  [[nodiscard]] wakeup& waking() noexcept { return sources_.waking(); }

  /// Whether waits spin before they give the core away; changes with the number of cores there are.
  [[nodiscard]] bool spins() const noexcept { return policy().spins(); }

  /// Whether they give the core away first, since ranks share cores.
  [[nodiscard]] bool yields() const noexcept { return policy().yields() != 0; }

  // ---- progress
  /// One turn, with the lock held. Runs no deferred calls. From within a source (a completion hook)
  /// it does nothing.
  bool poll() noexcept {
    const bool moved = sources_.poll();
    if (moved) {
      // relaxed: read by other programs only
      moves_->store(moves_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (sleepers_.any_hears_of_moves()) [[unlikely]]
        wake_sleepers();
    }
    return moved;
  }
  /// Something has moved: the threads that sleep on the descriptors, or wait for more than one
  /// operation, look again. With the lock held; poll does this itself.
  void wake_sleepers() noexcept;
  /// That operation has ended, and a thread had slept for it. With the lock held.
  void ended(const void* operation) noexcept;
  /// One turn, and the deferred calls, without the lock held.
  bool progress();
  /// So many bytes were started that did not move at once: a helper thread need not wait for its
  /// next tick. With the lock held.
  void started(std::size_t bytes) noexcept {
    if (helper_ != nullptr) note_started(bytes);
  }
  /// Makes progress until `holds()`; false when the deadline passed first. Without the lock held.
  /// `holds` is called with it.
  template <class Predicate>
  bool wait_until(Predicate&& holds, deadline until = never) {
    return wait<true, false>(holds, until);
  }
  /// The same for a predicate that needs no lock (it reads an operation's `finished`): cheaper, and
  /// another thread's progress is seen at once. Where it has a member `sleep_for`, that is called
  /// with the lock held before the thread sleeps, and names the operation whose end calls `ended`.
  template <class Predicate>
  bool wait_unlocked(Predicate&& holds, deadline until = never) {
    return holds() || wait<false, false>(holds, until);
  }
  /// The same for something that may come true in any engine of the family.
  template <class Predicate>
  bool wait_anywhere(Predicate&& holds, deadline until = never) {
    return holds() || wait<false, true>(holds, until);
  }

  // ---- what others see of it
  /// Before the first turn: counts turns there, and tells that observer of waits that last.
  void show(state::lane_activity& where, state::wait_observer& to) noexcept {
    sources_.count_in(where.turns);
    moves_ = &where.moves;
    observer_ = &to;
  }
  /// A wait is told of once it has lasted so long, and as often again.
  static constexpr std::chrono::nanoseconds long_wait = std::chrono::milliseconds{900};

  // ---- other engines of the process
  /// There is something in this engine that threads of other engines must look after. Any thread.
  void put_to_use() noexcept;
  [[nodiscard]] bool has_family() const noexcept { return family_ != nullptr; }
  /// Gives the other engines a turn too, at once (`progress` does it now and then). Without the
  /// lock held.
  bool progress_everywhere();

  // ---- what is to be called with no lock held
  /// Calls `call(context)` at the end of a progress call of any thread. With the lock held.
  void defer(void (*call)(void*), void* context) { deferred_.add({call, context}); }
  /// A later progress call rethrows it. Without the lock held.
  void defer_throw(std::exception_ptr thrown, bool first = false) noexcept;
  /// Appends what was counted of waits. With the lock held.
  void report(std::vector<counter>&) const;
  /// Whether something is deferred.
  [[nodiscard]] bool owes_calls() const noexcept { return deferred_.any(); }
  /// Runs what is deferred at the moment, and rethrows the first exception that came; what is
  /// deferred meanwhile, by these calls or by other threads, is left to a thread that sleeps, or to
  /// later progress calls. Without the lock held. Every progress call does this.
  void run_deferred() {
    if (deferred_.any() || deferred_.any_thrown()) run_deferred_and_rethrow();
  }

  // ---- sleep in a loop of the user's own
  // All without the lock held. A descriptor that is open is closed before it is destroyed.
  /// False: there are no descriptors left.
  [[nodiscard]] bool open(event_descriptor&);
  void close(event_descriptor&) noexcept;
  /// Arms, and polls once more. True: from now on whatever comes makes the descriptor readable;
  /// where a source cannot promise that, a timer does. False: something has moved.
  [[nodiscard]] bool arm(event_descriptor&);
  /// Ends that: polls everything, and runs the deferred calls.
  bool disarm(event_descriptor&);
  /// While a source cannot be armed a sleep lasts for the shortest, and twice as long each time
  /// that nothing came.
  static constexpr std::chrono::microseconds shortest_nap{20}, longest_nap{1000};
  /// A thread that leads and is woken sooner than that, beside another thread that polls, leaves
  /// everything to that one for a nap, likewise.
  static constexpr std::chrono::microseconds busy_gap{100};

 private:
  friend helper_thread;
  friend engine_family;

  /// A predicate without its type.
  struct question {
    bool (*ask)(void*);
    const void* (*name)(void*);          // of the operation that is waited for; null: there is none
    state::wait_subject (*tell)(void*);  // null: nothing is known
    void* context;
    bool operator()() const { return ask(context); }
    [[nodiscard]] const void* sleep_for() const {
      return name != nullptr ? name(context) : nullptr;
    }
  };
  /// What a wait remembers between its turns, once it looks at other engines or sleeps.
  struct wait_state {
    bool wide;                // whatever ends in any engine of the family may be what is waited for
    bool beside = false;      // another thread polls all the time: the next sleep is a nap
    std::uint32_t turns = 0;  // of this engine, at the last sleep
    std::uint32_t interval = wide ? 1 : 64, since = 0;      // turns between looks at other engines
    std::chrono::microseconds nap = shortest_nap;           // the next one
    std::chrono::microseconds refused = shortest_nap;       // while another engine is not armed
    std::chrono::milliseconds pause = engine_family::tick;  // while another engine is busy
    std::int64_t begun = 0, told = 0;                       // nanoseconds; 0: this is not known yet
    state::wait_entry* shown = nullptr;                     // the observer's, once it was told
  };
  enum class rest : std::uint8_t { refused, in_vain, moved, held };
  enum class readiness : std::uint8_t { refused, moved, ready };
  enum class kept : std::uint8_t { now, by_others, busy, moved };

  template <bool Locked, bool Wide, class Predicate>
  bool wait(Predicate& holds, deadline until);
  template <class Predicate>
  static question question_of(Predicate& holds) noexcept {
    using plain = std::remove_cvref_t<Predicate>;
    question asked{[](void* context) -> bool { return (*static_cast<plain*>(context))(); }, nullptr,
                   nullptr, const_cast<plain*>(&holds)};
    if constexpr (requires { holds.sleep_for(); })
      asked.name = [](void* context) -> const void* {
        return static_cast<plain*>(context)->sleep_for();
      };
    if constexpr (requires { holds.describe(); })
      asked.tell = [](void* context) { return static_cast<plain*>(context)->describe(); };
    return asked;
  }

  // sleep.cpp: all with the lock held but `sleep`, `after_sleep` and `note_long`
  rest sleep(question holds, deadline until, wait_state&);
  void note_long(const question&, wait_state&) noexcept;
  [[nodiscard]] rest lead(question holds, thread_sleep&, wait_state&);
  [[nodiscard]] rest follow(question holds, deadline until, wait_state&);
  [[nodiscard]] readiness begin_sleep(engine_sleeper&, bool naps);
  bool end_sleep(engine_sleeper&, std::span<const pollfd> found, bool by_backstop) noexcept;
  void look_again(thread_sleep&) noexcept;
  static void sleep_and_look_again(thread_sleep&) noexcept;
  bool settle(event_descriptor&);
  void after_sleep() noexcept;
  void resume_helper() noexcept;
  void disarm_unless_slept_in() noexcept {
    if (!slept_in()) sources_.disarm();
  }
  [[nodiscard]] bool slept_in() const noexcept { return sleepers_.any_on_descriptors(); }
  /// The nap after it is longer.
  [[nodiscard]] static std::chrono::microseconds next_nap(std::chrono::microseconds& nap) noexcept {
    return std::exchange(nap, std::min(2 * nap, longest_nap));
  }
  /// The alarm after it is later: a loop arms again after each.
  [[nodiscard]] static std::chrono::milliseconds next_look(
      std::chrono::milliseconds& look) noexcept {
    return std::exchange(look, std::min<std::chrono::milliseconds>(2 * look, backstop));
  }
  void note_turns(wait_state& mine) noexcept {
    mine.turns = sources_.turns();
    lock_refused_.store(false, std::memory_order_relaxed);
  }
  /// Whether another thread has polled since, or has tried to.
  [[nodiscard]] bool others_poll(const wait_state& mine) const noexcept {
    return mine.turns != sources_.turns() || lock_refused_.load(std::memory_order_relaxed);
  }
  void count(const backoff&) noexcept;
  [[nodiscard]] bool time_to_look() noexcept;
  bool note_cores() noexcept;
  void look_around() noexcept;
  void go_to_own_share() noexcept;

  // family.cpp: all without the lock held
  bool visit_others();
  bool turn_of_others();
  bool visit_others_at_times(wait_state&, std::exception_ptr& thrown);
  void run_deferred_of_others(std::exception_ptr& thrown);
  rest sleep_in_several(question holds, deadline until, wait_state&);
  [[nodiscard]] kept keep(engine_sleeper& by, std::atomic<std::uint32_t>& seen, thread_sleep&,
                          wait_state&);
  void left_alone(bool self) noexcept {
    if (family_ != nullptr) family_->look_soon(self);
  }

  [[nodiscard]] const wait_policy& policy() const noexcept {
    return policies_[oversubscribed_.load(std::memory_order_relaxed) ? 1 : 0];
  }
  bool try_lock_slow();
  [[nodiscard]] bool may_poll() { return !shared() || may_poll_shared(); }
  bool may_poll_shared() {
    if (!biased()) return may_poll_slow();
    // Another thread that wants a biased lock revokes it first.
    waits_.store(true, std::memory_order_relaxed);
    return lock_.enter() || may_poll_slow();
  }
  bool may_poll_slow();
  void note_started(std::size_t bytes) noexcept;
  void run_deferred_into(std::exception_ptr& first) noexcept;
  void run_deferred_and_rethrow();

  engine_lock lock_;
  helper_thread* helper_ = nullptr;
  // relaxed: a hint for the helper; a thread of the program's is in a wait.
  std::atomic<bool> waits_{false};
  // relaxed: a hint; a thread that wanted to poll has found the lock taken.
  std::atomic<bool> lock_refused_{false};
  std::atomic<bool> used_{false};  // relaxed: a hint, but put_to_use tells sleepers
  // relaxed, both: a wait that sees it late waits once more in the old way
  std::atomic<bool> oversubscribed_{false};
  engine_family* family_ = nullptr;  // constant once there are several threads
  source_list sources_;
  deferred_calls deferred_;
  std::array<wait_policy, 2> policies_;  // undersubscribed, oversubscribed
  wait_history history_;
  std::atomic<std::int64_t> next_look_{std::numeric_limits<std::int64_t>::max()};  // nanoseconds
  loose_count next_share_;          // yields until then
  core_sharing* around_ = nullptr;  // guarded by the lock
  // Turns of the other engines, at the last look.
  std::array<std::atomic<std::uint32_t>, engine_family::most> seen_{};
  std::atomic<std::uint32_t> calls_left_{1};  // of `progress`, until it looks at other engines
  std::atomic<std::uint32_t> own_moves_{0};
  std::atomic<std::uint32_t>* moves_ = &own_moves_;  // written under the lock
  state::wait_observer* observer_ = nullptr;         // constant once there are several threads

  // Guarded by the lock.
  sleeper_list sleepers_;
  wakeup leader_bell_;
  bool has_leader_ = false;               // asleep on the descriptors, or waking up
  int napping_ = 0;                       // threads that will lead again soon
  std::vector<event_descriptor*> loops_;  // open ones
  struct {
    loose_count spins, yields, put_offs, sleeps, wakeups, spurious, late, missed;
  } counted_;
};

template <bool Locked, bool Wide, class Predicate>
bool engine::wait(Predicate& holds, deadline until) {
  backoff pause{policy(), history_};
  std::optional<wait_state> mine;
  std::exception_ptr thrown;
  std::uint32_t passes = 0;
  bool held = false, slept_at_all = false;
  // One turn at a time where another thread may want the lock.
  const std::uint32_t at_once = lock_.how() == engine_lock::kind::mutex ? 1 : pause.turns_at_once();
  for (;;) {
    bool moved = false;
    if (may_poll()) {
      if constexpr (Locked) held = holds();
      if (!held) {
        for (std::uint32_t turn = 0; turn < at_once && !moved; ++turn) moved = poll();
        if constexpr (Locked) held = moved && holds();
      }
      unlock();
    } else {
      relax();  // another thread polls
    }
    if constexpr (!Locked) held = holds();
    if (deferred_.any()) run_deferred_into(thrown);
    if (held) break;
    if (family_ != nullptr) [[unlikely]] {
      if (!mine) mine = wait_state{Wide};
      moved |= visit_others_at_times(*mine, thrown);
    }
    auto next = pause.next(moved, at_once);
    if (next == backoff::action::sleep) [[unlikely]] {
      if (!mine) mine = wait_state{Wide};
      const rest slept = sleep(question_of(holds), until, *mine);
      held = slept == rest::held;
      slept_at_all = true;
      if (slept == rest::moved) pause.next(true);
      if (slept == rest::refused) next = backoff::action::yield;
      if (family_ != nullptr) run_deferred_of_others(thrown);
      if (deferred_.any()) run_deferred_into(thrown);
      if (held) break;
    }
    if (next == backoff::action::yield) pause.yield();
    if (next == backoff::action::look) [[unlikely]] {
      if (!mine) mine = wait_state{Wide};
      note_long(question_of(holds), *mine);
    }
    // The clock is read at every 64th pass only, since it costs as much as a turn.
    if (until != never && (next != backoff::action::spin || ++passes % 64 == 0) &&
        std::chrono::steady_clock::now() >= until)
      break;
  }
  if (pause.over()) [[unlikely]]
    count(pause);
  if (mine && mine->shown != nullptr) [[unlikely]]
    observer_->over(mine->shown);
  if (shared()) [[unlikely]] {
    waits_.store(false, std::memory_order_relaxed);
    if (slept_at_all) after_sleep();
  }
  if (thrown) [[unlikely]] {
    // What the caller waited for has come, and an exception of a deferred call would take it away.
    if (!held) std::rethrow_exception(thrown);
    defer_throw(std::move(thrown), true);
  }
  return held;
}

}  // namespace peal
