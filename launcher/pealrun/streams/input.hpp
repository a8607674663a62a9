// launcher/pealrun/streams/input.hpp
// Hands what is typed at a terminal to rank 0. A file or a pipe is given to rank 0 as it is; a
// terminal cannot be, since ranks are background process groups, and the system stops a process
// that reads the terminal from there.
//
// Layer    launcher.
// Threads  one.
// Source   termios(3), tcgetpgrp(3).
#pragma once

#include <poll.h>

#include <string>
#include <vector>

namespace peal::launcher {

class terminal_input {
 public:
  terminal_input() = default;
  ~terminal_input();
  terminal_input(const terminal_input&) = delete;
  terminal_input& operator=(const terminal_input&) = delete;

  /// The descriptor that rank 0 shall have as its standard input. `close_child_end` when it has it.
  int open();
  void close_child_end();

  void add_to(std::vector<pollfd>&) const;
  void serve(const std::vector<pollfd>&);

 private:
  void close_pipe();

  int child_ = -1;  // end that rank 0 reads
  int pipe_ = -1;   // end that we write; -1: nothing to do
  std::string waiting_;
};

}  // namespace peal::launcher
