// progress/sleepers/event_descriptor.hpp
// The engine's sleep as one file descriptor, for programs that sleep in a poll or epoll loop of
// their own. It is an epoll set of everything that the engine watches, of an alarm, and of a bell
// for the threads of this process.
//
// Layer    progress.
// Threads  ring: any. The rest: under the engine's lock.
// Errors   what the system refuses leaves it closed; nothing throws.
// Source   epoll(7), timerfd_create(2).
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <vector>

#include "progress/engine_sleeper.hpp"

namespace peal {

class event_descriptor : public engine_sleeper {
 public:
  event_descriptor() = default;
  ~event_descriptor() { close(); }
  event_descriptor(const event_descriptor&) = delete;
  event_descriptor& operator=(const event_descriptor&) = delete;

  /// False: there are no descriptors left. Open already: does nothing.
  [[nodiscard]] bool open(const std::vector<pollfd>& watched) noexcept;
  [[nodiscard]] bool is_open() const noexcept { return set_ >= 0; }
  /// -1 while it is closed.
  [[nodiscard]] int number() const noexcept { return set_; }

  /// One descriptor more, or less, that makes it readable. Closed: nothing.
  void watch(int descriptor) noexcept;
  void unwatch(int descriptor) noexcept;

  /// Readable after that time.
  void set_alarm(std::chrono::nanoseconds) noexcept;

  struct news {
    bool rung = false;
    bool timed = false;             // by the alarm
    std::vector<pollfd> watched{};  // what can be read of what is watched
  };
  /// What made it readable. Forgets the alarm; the rest is others' to read.
  news take();

  // ---- the engine's
  bool until_backstop = false;  // the alarm is for the backstop
  std::chrono::microseconds nap{20};
  std::chrono::milliseconds look{1};  // the next alarm, where all is armed

 private:
  void close() noexcept;

  int set_ = -1;
  int alarm_ = -1;
  std::optional<wakeup> bell_;
};

}  // namespace peal
