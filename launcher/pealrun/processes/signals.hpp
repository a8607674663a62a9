// launcher/pealrun/processes/signals.hpp
// Signals as a descriptor to poll, and the state in which pealrun found them, which every rank gets
// back before its program runs.
//
// Layer    launcher.
// Threads  made before any other thread is started: those inherit the mask, so every signal waits
//          for the descriptor.
// Source   signalfd(2), signal(7).
#pragma once

#include <signal.h>

#include <string>
#include <vector>

namespace peal::launcher {

class signal_source {
 public:
  signal_source();
  ~signal_source();
  signal_source(const signal_source&) = delete;
  signal_source& operator=(const signal_source&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Signals that came since the last call, in no promised order.
  std::vector<int> take();
  /// In a child: puts mask and dispositions back. Async-signal-safe.
  void restore() const noexcept;

 private:
  sigset_t mask_before_;
  struct sigaction pipe_before_{};
  struct sigaction child_before_{};
  struct sigaction size_before_{};
  int descriptor_ = -1;
};

/// "signal 11 (SIGSEGV)".
std::string signal_name(int signal);

/// Asks for a report of what the ranks do.
inline constexpr int report_signal = SIGQUIT;

/// Passed on to the ranks as they are.
inline constexpr int forwarded_signals[] = {SIGINT,  SIGTERM, SIGHUP, SIGUSR1,
                                            SIGUSR2, SIGTSTP, SIGCONT};

}  // namespace peal::launcher
