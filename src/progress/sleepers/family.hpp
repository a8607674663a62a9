// progress/sleepers/family.hpp
// Engines of one process that look after each other: a thread that waits in one of them also makes
// progress in the engines in which no thread waits. MPI asks for that: a rank that waits may owe
// other ranks progress in any engine.
//
// While it spins, a waiting thread looks at the other engines now and then, and takes a turn in
// those that had none since the last look. Before it sleeps it also arms the other engines that are
// quiet, and sleeps on their descriptors too: it is their keeper. An engine that is not quiet has a
// thread of its own, which may leave it at any time; while there is such an engine the sleeper
// looks again at every tick. When the last sleeper of an engine has left, be it a keeper or a
// thread of its own, a timer is set that ends one tick later. Every sleeping thread of the family
// wakes up then and looks again.
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

  /// Around a sleep that relies on other sleepers to keep the engines that it does not keep itself.
  void begin_sleep() noexcept { sleepers_.fetch_add(1, std::memory_order_seq_cst); }
  void rise() noexcept { sleepers_.fetch_sub(1, std::memory_order_relaxed); }
  /// An engine is left alone. `self`: whose thread calls counts as a sleeper itself.
  void look_soon(bool self) noexcept {
    if (sleepers_.load(std::memory_order_seq_cst) > (self ? 1 : 0)) set_alarm();
  }
  /// How often that was said. A sleeper that finds everything kept after it has asked takes back an
  /// alarm that is no newer. Who takes an alarm, or takes it back, and then does not sleep, has to
  /// say it again: what it was for may still be left alone.
  [[nodiscard]] std::uint32_t alarms() noexcept;
  bool cancel_alarm(std::uint32_t known) noexcept;
  /// Readable when a thread must look at all engines. -1: there is none.
  [[nodiscard]] int alarm() const noexcept { return alarm_; }
  /// False: another thread has taken it.
  bool take_alarm() noexcept;

 private:
  void set_alarm() noexcept;
  void set_timer(std::chrono::nanoseconds from_now) noexcept;  // none: never

  std::vector<engine*> members_;
  int alarm_ = -1;
  std::atomic<int> sleepers_{0};
  std::mutex mutex_;          // guards the rest
  std::uint32_t alarms_ = 0;  // how often the alarm was wanted
  bool set_ = false;          // it is to come
};

}  // namespace peal
