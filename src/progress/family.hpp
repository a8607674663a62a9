// progress/family.hpp
// Engines of one process that look after each other: a thread that waits in one of them also moves what is to be moved in another that
// nobody waits in. MPI asks for that: a rank that waits may owe others progress anywhere.
//
// While it spins, a wait looks at the others now and then, and takes a turn in those that had none since its last look. Before it sleeps
// it exposes itself (expose.cpp) on those that are quiet, as their keeper, and sleeps on their descriptors too. An engine that is not
// quiet has a thread of its own, which may leave it any time: while there is such a one the sleeper looks again at every tick. When an
// engine that somebody kept, or slept in, has nobody any more, an alarm that every sleeper sleeps on is set, a tick from then.
//
// Layer    progress.
// Threads  add: before the first wait. The rest: any.
// Errors   what the system refuses makes sleeps into naps; nothing throws but for lack of memory.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "progress/event_descriptor.hpp"

namespace peal {

class engine;

class engine_family {
 public:
  static constexpr std::size_t most = 16;
  static constexpr std::chrono::milliseconds tick{1};
  /// Of a sleeper beside an engine that never rests.
  static constexpr std::chrono::milliseconds longest_tick{4};

  engine_family() noexcept;
  ~engine_family();
  engine_family(const engine_family&) = delete;
  engine_family& operator=(const engine_family&) = delete;

  /// At most `most`.
  void add(engine&);
  [[nodiscard]] const std::vector<engine*>& members() const noexcept { return members_; }

  /// What one wait knows of the others.
  struct view {
    bool begun;  // the rest is valid; set by the wait, which begins without
    bool wide;   // whatever ends in any of them may be what is waited for
    bool looked;
    std::uint32_t interval;  // turns between looks
    std::uint32_t since;
    std::chrono::milliseconds pause;
    std::array<std::uint32_t, most> turns;  // looked: of each, at the last look

    void begin(bool of_all) noexcept {
      begun = true;
      wide = of_all;
      looked = false;
      interval = of_all ? 1 : 64;
      since = 0;
      pause = tick;
    }
  };

  /// Descriptors for one sleeper, one an engine.
  using wait_descriptors = std::array<event_descriptor, most>;
  /// Null: the system has none left.
  [[nodiscard]] wait_descriptors* take_descriptors() noexcept;
  void give_back_descriptors(wait_descriptors*) noexcept;

  /// Around a sleep that relies on others' to keep what it does not keep itself.
  void lie_down() noexcept { sleepers_.fetch_add(1, std::memory_order_seq_cst); }
  void rise() noexcept { sleepers_.fetch_sub(1, std::memory_order_relaxed); }
  /// An engine is left alone. `self`: whose thread calls counts as a sleeper itself.
  void look_soon(bool self) noexcept {
    if (sleepers_.load(std::memory_order_seq_cst) > (self ? 1 : 0)) set_alarm();
  }
  /// How often that was said. A sleeper that finds everything kept after it has asked takes back an alarm that is no newer.
  [[nodiscard]] std::uint32_t alarms() const noexcept { return alarms_.load(std::memory_order_acquire); }
  void cancel_alarm(std::uint32_t known) noexcept;
  /// Readable when somebody is to look. -1: there is none.
  [[nodiscard]] int alarm() const noexcept { return alarm_; }
  void take_alarm() noexcept;

 private:
  void set_alarm() noexcept;

  std::vector<engine*> members_;
  int alarm_ = -1;
  std::atomic<int> sleepers_{0};
  std::atomic<std::uint32_t> alarms_{0};
  std::atomic<bool> set_{false};  // the alarm is to come
  std::mutex mutex_;              // guards what follows, and changes of the alarm
  std::vector<std::unique_ptr<wait_descriptors>> all_;
  std::vector<wait_descriptors*> free_;
};

}  // namespace peal
