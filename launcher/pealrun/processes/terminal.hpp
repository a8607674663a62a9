// launcher/pealrun/processes/terminal.hpp
// The terminal that pealrun was started from. Its foreground is one process group; a rank, which is
// a group of its own, is stopped when it uses the terminal as only the foreground may. pealrun then
// puts the rank there, as a shell does with a job.
//
// Layer    launcher.
// Threads  one.
// Errors   none: without a terminal nothing is ever in the foreground.
// Source   credentials(7), tcsetpgrp(3).
#pragma once

#include <sys/types.h>

namespace peal::launcher {

class terminal {
 public:
  terminal();
  /// Takes the terminal back.
  ~terminal();
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  /// pealrun's group is the foreground.
  [[nodiscard]] bool ours() const;
  /// The group that has the foreground from us; 0: none.
  [[nodiscard]] pid_t given_to() const noexcept { return given_to_; }
  /// Requires: ours(). Returns whether the group has it now.
  bool give_to(pid_t group);
  void take_back();

 private:
  int descriptor_;
  pid_t given_to_ = 0;
};

}  // namespace peal::launcher
