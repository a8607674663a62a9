// launcher/pealrun/engine/slurm/daemon_watch.hpp
// Learns that Slurm's daemon of a step has died on one of the nodes, or a whole node: starts a
// second step beside the first one, with one process on each of its nodes (step_watch.hpp), and
// reads what they say.
//
// Layer    launcher.
// Units    steady clock.
// Threads  one.
// Errors   none: a cluster that starts no second step is not watched.
// Source   squeue(1), scontrol(1), srun(1): --overlap.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <set>
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
  [[nodiscard]] std::optional<clock::time_point> next() const noexcept;
  /// What has died, in words, once. May take some seconds where a node is silent.
  std::optional<std::string> serve();

 private:
  void start();
  std::optional<std::string> take_lines();
  std::optional<std::string> silent_node();
  void end_child();

  std::string step_;
  std::optional<clock::time_point> next_;
  std::chrono::milliseconds pause_;
  int output_ = -1;
  pid_t child_ = -1;
  std::string text_;
  std::map<std::string, clock::time_point> heard_;  // of nodes, when last
  std::set<std::string> awaited_;                   // nodes of which nothing was heard so far
  bool found_ = false;                              // the second step was started
  int patience_ = 300;  // with the end of the second step, in milliseconds
};

}  // namespace peal::launcher
