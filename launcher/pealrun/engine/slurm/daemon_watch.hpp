// launcher/pealrun/engine/slurm/daemon_watch.hpp
// Learns that Slurm's daemon of a step has died on one of the nodes (step_watch.hpp): starts a
// second step beside the first one, with one process on each of its nodes, and reads what they say.
//
// Layer    launcher.
// Units    steady clock.
// Threads  one.
// Errors   none: a cluster that starts no second step is not watched.
// Source   squeue(1), scontrol(1), srun(1): --overlap.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace peal::launcher {

class daemon_watch {
 public:
  using clock = std::chrono::steady_clock;

  /// `step` is the name of the step that is watched; empty: none is.
  explicit daemon_watch(std::string step);
  ~daemon_watch();
  daemon_watch(const daemon_watch&) = delete;
  daemon_watch& operator=(const daemon_watch&) = delete;

  /// To be polled for input; -1 where there is nothing to read.
  [[nodiscard]] int descriptor() const noexcept { return output_; }
  /// When `serve` has something to do besides; a job that is over sooner than in a second has no
  /// costs.
  [[nodiscard]] std::optional<clock::time_point> next() const noexcept { return next_; }
  /// The name of a node whose daemon has died, once.
  std::optional<std::string> serve();

 private:
  void start();
  void end_child();

  std::string step_;
  std::optional<clock::time_point> next_;
  std::chrono::milliseconds pause_;
  int output_ = -1;
  pid_t child_ = -1;
  std::string text_;
  bool found_ = false;  // the second step was started
  bool lost_ = false;   // a daemon has died
};

}  // namespace peal::launcher
