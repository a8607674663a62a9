// progress/wait_policy.hpp
// How a thread waits while nothing comes: it spins for a while, gives the core away for a while,
// then sleeps.
//
// A spin that outlasts the usual message costs nothing when every rank has a core. When there are
// more ranks than cores, each spin keeps the rank that is waited for from running, so the thread
// yields after the first poll in vain, as long as that pays (yield_costs.hpp). A thread that spins
// for as long as a sleep and its wake-up would cost takes at most twice the time of one that knew
// beforehand how long the wait would be. While waits are short it spins twice as long: a long wait
// among them is a disturbance (a tick of the timer, a core that was away for a moment), after which
// the message comes at once.
//
// Layer    progress: may include topology/, base/.
// Units    turns: one turn is one poll of every source, about 20–50 ns.
// Threads  a policy is constant; a backoff belongs to one wait of one thread; a history may be used
//          by several.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/settings.hpp"
#include "progress/yield_costs.hpp"

namespace peal {

class wait_policy {
 public:
  using duration = std::chrono::nanoseconds;

  /// How long a wait spins, at least and at most.
  struct bounds {
    duration least;
    duration most;
  };
  /// About what arming and waking costs on a quiet machine: a barrier on every core 8 µs, a wake-up
  /// 5 to 10.
  static constexpr bounds usual{std::chrono::microseconds{20}, std::chrono::microseconds{40}};

  /// `oversubscribed`: more ranks than cores they may use.
  constexpr explicit wait_policy(wait_mode how = wait_mode::adaptive, bool oversubscribed = false,
                                 bounds spin = usual) noexcept
      : look_{how == wait_mode::poll                      ? turns_a_long_look
              : how == wait_mode::block || oversubscribed ? 1
                                                          : turns_a_look},
        yields_{how == wait_mode::adaptive && oversubscribed ? yields_when_oversubscribed : 0},
        polls_{how == wait_mode::poll},
        spin_{spin} {}

  /// Misses in a row after which something is to be decided.
  [[nodiscard]] constexpr std::uint32_t look() const noexcept { return look_; }
  [[nodiscard]] constexpr bool spins() const noexcept { return look_ > 1; }
  /// Never does anything else.
  [[nodiscard]] constexpr bool polls() const noexcept { return polls_; }
  [[nodiscard]] constexpr std::uint32_t yields() const noexcept { return yields_; }
  [[nodiscard]] constexpr const bounds& spin() const noexcept { return spin_; }

  /// The clock costs as much as a turn.
  static constexpr std::uint32_t turns_a_look = 64;
  /// Of a thread that only polls: some hundredths of a second.
  static constexpr std::uint32_t turns_a_long_look = std::uint32_t{1} << 20;
  /// A message between two ranks of one core takes two switches; with many ranks each of them has
  /// its turn in between.
  static constexpr std::uint32_t yields_when_oversubscribed = 64;

 private:
  std::uint32_t look_;
  std::uint32_t yields_;
  bool polls_;
  bounds spin_;
};

/// How long waits took lately, and what yields cost.
class wait_history {
 public:
  using duration = wait_policy::duration;

  yield_costs yields;

  /// A wait that was over before the thread looked at the clock counts as nothing.
  void note(duration waited) noexcept {
    // relaxed: an estimate; of two threads that write at a time one may be lost.
    const std::int64_t before = average_.load(std::memory_order_relaxed);
    average_.store(before + (waited.count() - before) / weight, std::memory_order_relaxed);
  }
  void note_short() noexcept {
    if (const std::int64_t before = average_.load(std::memory_order_relaxed); before >= weight)
        [[unlikely]]
      average_.store(before - before / weight, std::memory_order_relaxed);
  }
  [[nodiscard]] duration average() const noexcept {
    return duration{average_.load(std::memory_order_relaxed)};
  }

  /// How long to spin now: at most while waits are short, and no longer than need be when messages
  /// are far apart.
  [[nodiscard]] duration spin(const wait_policy::bounds& within) const noexcept {
    return average() > within.most ? within.least : within.most;
  }

  /// Of the newest wait, one in so many.
  static constexpr std::int64_t weight = 8;

 private:
  std::atomic<std::int64_t> average_{0};  // nanoseconds
};

/// What one wait does after each turn.
class backoff {
 public:
  /// look: as spin, but the wait is a long one.
  enum class action : std::uint8_t { spin, yield, sleep, look };

  backoff(const wait_policy& policy, wait_history& history) noexcept
      : policy_{policy}, history_{history} {}

  /// How many turns may pass in vain before the next call of `next`: all else that a wait looks at
  /// costs as much as a turn.
  [[nodiscard]] std::uint32_t turns_at_once() const noexcept {
    return policy_.spins() ? most_at_once : 1;
  }
  static constexpr std::uint32_t most_at_once = 4;

  /// `moved`: the last of so many turns moved something, so the next will probably too.
  action next(bool moved, std::uint32_t turns = 1) noexcept {
    if (moved) {
      if (timed_) came();
      misses_ = yields_ = 0;
      return action::spin;
    }
    if ((misses_ += turns) < policy_.look()) return action::spin;
    return decide();
  }
  /// Gives the core away, and notes how long that took.
  void yield() noexcept;
  /// The wait is over. Whether it was long enough for something to be counted.
  [[nodiscard]] bool over() noexcept {
    if (timed_) [[unlikely]]
      came();
    else if (policy_.spins()) history_.note_short();
    return spins_ + all_yields_ != 0;
  }

  [[nodiscard]] std::uint64_t spins() const noexcept { return spins_; }
  [[nodiscard]] std::uint64_t yields() const noexcept { return all_yields_; }
  /// How often this wait has found that yields take too long.
  [[nodiscard]] std::uint64_t put_offs() const noexcept { return put_offs_; }

 private:
  using clock = std::chrono::steady_clock;

  action decide() noexcept;
  action decide_crowded() noexcept;
  void came() noexcept;

  const wait_policy& policy_;
  wait_history& history_;
  std::uint32_t misses_ = 0;  // since the last look
  std::uint32_t yields_ = 0;  // in a row
  bool timed_ = false;
  // timed: the first look since something came, or the time before the first yield or sleep
  clock::time_point since_{};
  clock::time_point looked_{};  // and the last one, or the end of the last yield,
  bool slept_ = false;          // after which the wait was to sleep
  clock::duration limit_{};
  std::uint64_t spins_ = 0;
  std::uint64_t all_yields_ = 0;
  std::uint64_t put_offs_ = 0;
};

}  // namespace peal
