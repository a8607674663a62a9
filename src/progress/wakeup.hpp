// progress/wakeup.hpp
// What a process sleeps on besides devices: a pipe of its own, which its threads, and other
// processes of the node, write to.
//
// No descriptor is handed over: a peer opens /proc/PID/fd/N, and looks at the inode to see that it
// is the right pipe (a process id may mean another process in another container).
//
// Layer    progress.
// Threads  ring: any, also a signal handler. The rest: one.
// Errors   what the system refuses makes the object unable; nothing throws.
// Source   pipe(7), proc(5) "/proc/[pid]/fd/".
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
  void ring() noexcept;
  /// Forgets all rings so far.
  void clear() noexcept;

 private:
  int read_ = -1;
  int write_ = -1;
};

/// The pipe of another process.
class remote_wakeup {
 public:
  remote_wakeup() = default;
  ~remote_wakeup() { close(); }
  remote_wakeup(remote_wakeup&& other) noexcept : file_{other.file_} { other.file_ = -1; }
  remote_wakeup& operator=(remote_wakeup&&) = delete;

  /// False: it cannot be reached.
  [[nodiscard]] bool open(const wakeup_address&) noexcept;
  [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }
  void ring() noexcept;
  void close() noexcept;

 private:
  int file_ = -1;
};

}  // namespace peal
