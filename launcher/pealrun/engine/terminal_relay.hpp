// launcher/pealrun/engine/terminal_relay.hpp
// What is typed at a terminal, for a process that may not read it since it is in the background.
//
// Layer    launcher.
// Units    bytes.
// Threads  one.
// Errors   throws std::system_error when there is no pipe; typed text that nobody reads is lost.
#pragma once

#include <poll.h>

#include <string>
#include <vector>

namespace peal::launcher {

class terminal_relay {
 public:
  terminal_relay() = default;
  ~terminal_relay();
  terminal_relay(const terminal_relay&) = delete;
  terminal_relay& operator=(const terminal_relay&) = delete;

  /// The descriptor that the process shall read: standard input itself where it is no terminal.
  int open();
  void close_child_end();
  void add_to(std::vector<pollfd>&) const;
  void serve(const std::vector<pollfd>&);

 private:
  void close_pipe();

  int child_ = -1;
  int pipe_ = -1;
  std::string waiting_;
};

}  // namespace peal::launcher
