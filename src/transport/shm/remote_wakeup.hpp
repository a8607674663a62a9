// transport/shm/remote_wakeup.hpp
// What wakes another process of the node: its pipe.
//
// No descriptor is handed over: a peer opens /proc/PID/fd/N, and looks at the inode to see that it
// is the right pipe (a process id may mean another process in another container).
//
// Layer    transport/shm: may include progress/.
// Threads  one.
// Errors   what the system refuses leaves it closed; nothing throws.
// Source   proc(5) "/proc/[pid]/fd/".
#pragma once

#include "progress/wakeup.hpp"

namespace peal::shm {

class remote_wakeup {
 public:
  remote_wakeup() = default;
  ~remote_wakeup() { close(); }
  remote_wakeup(remote_wakeup&& other) noexcept : file_{other.file_} { other.file_ = -1; }
  remote_wakeup& operator=(remote_wakeup&&) = delete;

  /// False: it cannot be reached.
  [[nodiscard]] bool open(const wakeup_address&) noexcept;
  [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }
  void ring() noexcept { ring_pipe(file_); }
  void close() noexcept;

 private:
  int file_ = -1;
};

}  // namespace peal::shm
