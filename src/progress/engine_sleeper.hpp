// progress/engine_sleeper.hpp
// Who sleeps in an engine: threads and loops of the user's own, the list of them, and a thread's
// sleep on descriptors.
//
// Layer    progress.
// Threads  guarded by their engine's lock, but for a thread's own sleep.
// Errors   what the system refuses makes sleeps shorter; nothing throws but for lack of memory.
#pragma once

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <vector>

#include "progress/lock.hpp"
#include "progress/sources.hpp"
#include "progress/wakeup.hpp"

namespace peal {

class engine;

/// As ppoll and timerfd_settime take it; nothing, when it is negative.
inline timespec time_of(std::chrono::nanoseconds left) noexcept {
  const auto positive = std::max<std::int64_t>(left.count(), 0);
  return {positive / 1'000'000'000, positive % 1'000'000'000};
}

/// One that sleeps until something comes that wakes the engine, or until the engine calls it, once.
struct engine_sleeper {
  /// `descriptors`: it sleeps on what the engine watches, and polls the engine afterwards, so it is
  /// called for whatever moves. `word`: it sleeps on `called`, while another one does that.
  enum class kind : std::uint8_t { descriptors, word };

  kind on = kind::descriptors;
  // Rung by the call. Null for a keeper, which sleeps for what the threads of this engine left
  // undone, and is not told of what they do.
  wakeup* bell = nullptr;
  const void* awaited = nullptr;  // the operation whose end calls it; null: whatever moves does
  bool asleep = false;            // in the list, and not called yet
  // relaxed: the engine's lock orders what the call is about.
  std::atomic<std::uint32_t> called{0};
  std::size_t first = 0, count = 0;  // its engine's descriptors, of those of a thread_sleep

  [[nodiscard]] bool is_called() const noexcept {
    return called.load(std::memory_order_relaxed) != 0;
  }
  [[nodiscard]] bool hears_of_moves() const noexcept {
    return on == kind::descriptors || awaited == nullptr;
  }
};

/// The sleepers of one engine, in the order of their coming.
class sleeper_list {
 public:
  void add(engine_sleeper&);
  /// False: it has been called.
  bool remove(engine_sleeper&) noexcept;
  /// Something has moved.
  void call_for_move() noexcept;
  void call_for_end(const void* operation) noexcept;
  /// The first one that sleeps on its word.
  void call_first_on_word() noexcept;
  /// Whether anyone sleeps on the descriptors and has not been called.
  [[nodiscard]] bool any_on_descriptors() const noexcept { return on_descriptors_ != 0; }
  /// Whether anyone is to be called for whatever moves.
  [[nodiscard]] bool any_hears_of_moves() const noexcept { return hearing_ != 0; }

 private:
  void call(engine_sleeper&) noexcept;
  void count(const engine_sleeper&, int one) noexcept;

  std::vector<engine_sleeper*> all_;
  int on_descriptors_ = 0, hearing_ = 0;  // of those that are asleep
};

/// One sleep of a thread on descriptors.
struct thread_sleep {
  using deadline = progress_source::deadline;

  void add(int descriptor) { on.push_back({descriptor, POLLIN, 0}); }
  /// For a sleeper in an engine of these sources.
  void add(engine_sleeper&, const source_list&);
  /// No longer than `most`, the backstop.
  void sleep(std::chrono::nanoseconds most) noexcept;
  /// What can be read of what the sleeper's engine watches.
  [[nodiscard]] std::span<const pollfd> found(const engine_sleeper& of) const noexcept {
    return std::span{on}.subspan(of.first, of.count);
  }

  deadline end;
  std::vector<pollfd> on{};
  std::vector<engine*> looked_at{};  // at the second look
  bool by_backstop = false;
  bool found_late = false;  // then
};

}  // namespace peal
