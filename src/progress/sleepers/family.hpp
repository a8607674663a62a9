// progress/sleepers/family.hpp
// Engines of one process that look after each other: a thread that waits in one of them also moves
// what is to be moved in another that nobody waits in. MPI asks for that: a rank that waits may owe
// others progress anywhere.
//
// While it spins, a wait looks at the others now and then, and takes a turn in those that had none
// since the last look. Before it sleeps it arms those that are quiet too, as their keeper, and
// sleeps on their descriptors as well. An engine that is not quiet has a thread of its own, which
// may leave it any time: while there is such a one the sleeper looks again at every tick. When an
// engine that a thread kept, or slept in, has no sleeper any more, an alarm that every such thread
// sleeps on is set, a tick from then.
//
// Layer    progress.
// Threads  add: before the first wait. The rest: any.
// Errors   what the system refuses makes sleeps into naps; nothing throws but for lack of memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

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

  /// Around a sleep that relies on others' to keep what it does not keep itself.
  void begin_sleep() noexcept { sleepers_.fetch_add(1, std::memory_order_seq_cst); }
  void rise() noexcept { sleepers_.fetch_sub(1, std::memory_order_relaxed); }
  /// An engine is left alone. `self`: whose thread calls counts as a sleeper itself.
  void look_soon(bool self) noexcept {
    if (sleepers_.load(std::memory_order_seq_cst) > (self ? 1 : 0)) set_alarm();
  }
  /// How often that was said. A sleeper that finds everything kept after it has asked takes back an
  /// alarm that is no newer.
  [[nodiscard]] std::uint32_t alarms() const noexcept {
    return alarms_.load(std::memory_order_acquire);
  }
  void cancel_alarm(std::uint32_t known) noexcept;
  /// Readable when somebody is to look. -1: there is none.
  [[nodiscard]] int alarm() const noexcept { return alarm_; }
  void take_alarm() noexcept;

 private:
  void set_alarm() noexcept;
  void set_timer(std::chrono::nanoseconds from_now) noexcept;  // none: never

  std::vector<engine*> members_;
  int alarm_ = -1;
  std::atomic<int> sleepers_{0};
  std::atomic<std::uint32_t> alarms_{0};
  std::atomic<bool> set_{false};  // the alarm is to come
  std::mutex mutex_;              // guards changes of the alarm
};

}  // namespace peal
