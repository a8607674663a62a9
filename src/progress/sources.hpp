// progress/sources.hpp
// The sources of an engine: what it polls to make progress, and the descriptors that wake a thread
// that has armed all sources.
//
// Layer    progress.
// Units    deadlines on the steady clock.
// Threads  under the engine's lock, but for `turns` and the ringing of `waking`.
// Errors   none; sources do not throw.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "progress/wakeup.hpp"

namespace peal {

/// Something that progress is made with.
class progress_source {
 public:
  /// Moves what can be moved, without waiting; true when something was. Called with the engine's
  /// lock held, never from within itself.
  virtual bool poll() noexcept = 0;

  // How a thread sleeps: it arms every source, polls all of them once more, sleeps, and disarms.
  // All with the lock held but the sleep.
  using deadline = std::chrono::steady_clock::time_point;

  /// A sleeper polls once more after this time, still armed, and then sleeps on. What the barrier
  /// of its arming should have made visible is visible by then, whatever the system did. Linux
  /// (seen with 6.18) leaves a core out of membarrier that has run nothing but a process, and the
  /// idle thread, since before that process registered for it on another core.
  static constexpr std::chrono::milliseconds second_look{1};

  /// From now on whatever comes wakes the engine, by a watched descriptor or by its wakeup; so does
  /// what another thread gives the source to do. False: it cannot promise that now, and the engine
  /// stays awake. Also called where it is armed already.
  virtual bool arm() noexcept { return false; }
  /// Also called where `arm` said false, or was not asked.
  virtual void disarm() noexcept {}
  /// A watched descriptor of this source can be read: the source reads it, since it would end every
  /// sleep. With the lock held, disarmed afterwards.
  virtual void rang(int /*descriptor*/) noexcept {}
  /// Armed: when it wants to be polled in any case.
  [[nodiscard]] virtual deadline wakes_at() const noexcept { return deadline::max(); }

 protected:
  ~progress_source() = default;
};

class source_list {
 public:
  using deadline = progress_source::deadline;

  enum class rate : std::uint8_t {
    every,     // at every turn: messages
    sometimes  // at one turn in 64: news of failures
  };

  source_list() {
    if (wakeup_.able()) watch(wakeup_.descriptor(), nullptr);
  }
  void add(progress_source& source, rate how_often) {
    (how_often == rate::every ? every_ : sometimes_).push_back(&source);
  }
  void remove(progress_source&) noexcept;
  void watch(int descriptor, progress_source* reader);
  void unwatch(int descriptor) noexcept;
  [[nodiscard]] const std::vector<pollfd>& watched() const noexcept { return watched_; }
  [[nodiscard]] wakeup& waking() noexcept { return wakeup_; }

  /// One turn. From within a source it does nothing.
  bool poll() noexcept {
    if (polling_) return false;
    const std::uint32_t turns = turns_->load(std::memory_order_relaxed) + 1;
    turns_->store(turns, std::memory_order_relaxed);
    return turn(turns % 64 == 0);
  }
  /// Every source, those of `sometimes` too.
  bool poll_all() noexcept { return !polling_ && turn(true); }
  /// Whether this is said from within a source.
  [[nodiscard]] bool in_turn() const noexcept { return polling_; }
  /// How many turns there have been. relaxed: other threads look whether it moves.
  [[nodiscard]] std::uint32_t turns() const noexcept {
    return turns_->load(std::memory_order_relaxed);
  }
  /// Before the first turn: counts them there, where other programs see them.
  void count_in(std::atomic<std::uint32_t>& where) noexcept { turns_ = &where; }

  /// False: some source cannot promise to wake a thread.
  bool arm() noexcept;
  /// What that said last.
  [[nodiscard]] bool armed() const noexcept { return armed_; }
  void disarm() noexcept;
  /// Armed: when a source wants to be polled in any case.
  [[nodiscard]] deadline wakes_at() const noexcept;
  /// What ppoll found is read by its sources, where it is watched still. The engine's own pipe
  /// needs to be empty only when a thread sleeps on it again: not `at_once`, and the thread that
  /// was woken has its message sooner.
  void read(std::span<const pollfd> found, bool at_once) noexcept;
  /// What can be read now, at once. False: nothing comes within that time.
  bool read_all(std::chrono::milliseconds within) noexcept;

 private:
  bool turn(bool of_all) noexcept {
    polling_ = true;
    bool moved = false;
    for (progress_source* source : every_) moved |= source->poll();
    if (of_all) [[unlikely]]
      for (progress_source* source : sometimes_) moved |= source->poll();
    polling_ = false;
    return moved;
  }

  std::vector<progress_source*> every_;
  std::vector<progress_source*> sometimes_;
  std::atomic<std::uint32_t> own_turns_{0};
  std::atomic<std::uint32_t>* turns_ = &own_turns_;  // written under the lock
  bool polling_ = false;
  bool armed_ = false;
  bool rung_ = false;  // the pipe has not been read since
  wakeup wakeup_;
  std::vector<pollfd> watched_;
  std::vector<progress_source*> readers_;  // of these, in the same order; null: none
};

}  // namespace peal
