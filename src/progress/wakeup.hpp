// progress/wakeup.hpp
// What a process sleeps on besides devices: a pipe of its own, which its threads, and other
// processes of the node, write to.
//
// Layer    progress.
// Threads  ring: any, also a signal handler. The rest: one.
// Errors   what the system refuses makes the object unable; nothing throws.
// Source   pipe(7).
#pragma once

#include <cstdint>

namespace peal {

/// Where a pipe is to be found by other processes of the node.
struct wakeup_address {
  std::int64_t pid = 0;
  std::int64_t descriptor = -1;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const wakeup_address&, const wakeup_address&) = default;
};

/// Writes a byte. A full pipe has rung long ago, so what the system refuses does no harm. errno
/// stays, since a signal handler may be the caller.
void ring_pipe(int writing_end) noexcept;

class wakeup {
 public:
  wakeup() noexcept;
  ~wakeup();
  wakeup(const wakeup&) = delete;
  wakeup& operator=(const wakeup&) = delete;

  /// False when there were no descriptors left.
  [[nodiscard]] bool able() const noexcept { return read_ >= 0; }
  /// Readable once a thread or a process has rung.
  [[nodiscard]] int descriptor() const noexcept { return read_; }
  [[nodiscard]] wakeup_address address() const noexcept;
  void ring() noexcept {
    if (write_ >= 0) ring_pipe(write_);
  }
  /// Forgets all rings so far.
  void clear() noexcept;

 private:
  int read_ = -1;
  int write_ = -1;
};

}  // namespace peal
