// progress/sleep.hpp
// The kinds of sleepers of an engine: a thread on the descriptors of one engine or of several, a
// loop of the user's own, and threads that follow another one.
//
// Layer    progress.
// Threads  a sleeper and a follower are guarded by their engine's lock.
// Errors   what the system refuses makes sleeps shorter; nothing throws but for lack of memory.
#pragma once

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <vector>

#include "progress/lock.hpp"
#include "progress/sources.hpp"

namespace peal {

/// As ppoll and timerfd_settime take it; nothing, when it is negative.
inline timespec time_of(std::chrono::nanoseconds left) noexcept {
  const auto positive = std::max<std::int64_t>(left.count(), 0);
  return {positive / 1'000'000'000, positive % 1'000'000'000};
}

/// Sleeps on an engine's descriptors beside the thread that leads, or where none does.
struct engine_sleeper {
  bool asleep = false;  // the engine will say when it is to look again
  // Null: a keeper. It sleeps for what threads of this engine left undone, and is not told of what
  // they do.
  wakeup* bell = nullptr;
};

/// A thread that sleeps until it is called, while another one sleeps on the descriptors.
struct follower {
  const void* awaited;  // the operation whose end calls it; null: whatever moves does
  std::atomic<std::uint32_t> called{0};

  // relaxed, both: the engine's lock orders what the call is about.
  [[nodiscard]] bool is_called() const noexcept {
    return called.load(std::memory_order_relaxed) != 0;
  }
  void call() noexcept {
    if (called.exchange(1, std::memory_order_relaxed) == 0) futex_wake(called);
  }
};

/// One sleep of a thread on descriptors.
struct thread_sleep {
  using deadline = progress_source::deadline;

  void add(int descriptor) { on.push_back({descriptor, POLLIN, 0}); }
  /// Requires: armed. What is found of them stands in `on` from there on, as many as are watched
  /// now.
  void add(const source_list& sources) {
    end = std::min(end, sources.wakes_at());
    on.insert(on.end(), sources.watched().begin(), sources.watched().end());
  }
  /// No longer than `most`, the backstop.
  void sleep(std::chrono::nanoseconds most) noexcept;

  deadline end;
  std::vector<pollfd> on{};
  bool by_backstop = false;
};

}  // namespace peal
