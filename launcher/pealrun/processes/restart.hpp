// launcher/pealrun/processes/restart.hpp
// Starts a job again after a failure: pealrun executes itself once more. A PMIx server cannot be
// made twice in one process, and so nothing of the failed start can reach the next one. The process
// stays the same, so that whoever started pealrun still waits for the right one.
//
// Layer    launcher.
// Threads  made before any thread is started; `once_more` from the main thread.
// Errors   what goes wrong is told in a line.
// Source   execve(2), close_range(2).
#pragma once

#include <string>
#include <vector>

#include "processes/descriptors.hpp"
#include "processes/signals.hpp"

namespace peal::launcher {

/// The first argument of a pealrun that was executed again; how often, is the second one.
inline constexpr const char* restart_word = "--started-again";

class restart {
 public:
  /// All words of the command line. Sets PEAL_RESTART, which the ranks inherit.
  explicit restart(std::vector<std::string> words);

  /// How often the job has been started again.
  [[nodiscard]] int count() const noexcept { return count_; }
  /// Without pealrun's own words.
  [[nodiscard]] const std::vector<std::string>& arguments() const noexcept { return arguments_; }
  /// Of this start, so that nothing that an earlier one has left can be taken for its own.
  [[nodiscard]] std::string name_of(const std::string& job) const;

  /// Does not return unless that cannot be done. What the last start has left must be gone.
  void once_more(int most, const signal_source&, const descriptor_limit&) const;

 private:
  std::string program_;  // as it was called
  std::vector<std::string> arguments_;
  std::vector<int> inherited_;  // descriptors that the ranks are to have
  int count_ = 0;
};

}  // namespace peal::launcher
