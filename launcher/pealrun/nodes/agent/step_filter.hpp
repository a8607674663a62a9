// launcher/pealrun/nodes/agent/step_filter.hpp
// Which processes of a node belong to a job or a step of Slurm's: those that Slurm has given its
// variables, and what they have started.
//
// Layer    launcher.
// Threads  one.
// Errors   a process that is not ours to look into does not belong to it.
// Source   srun(1), output environment variables; proc_pid_environ(5).
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peal::launcher {

class step_filter {
 public:
  /// `which`: "job=NUMBER", "job=NUMBER.STEP" or "name=NAME" of a step. `node`: several may be on
  /// one host; empty: whichever.
  step_filter(const std::string& which, const std::string& node);

  /// `environment`: variables, each with a null character behind it.
  [[nodiscard]] bool fits(std::string_view environment) const;
  [[nodiscard]] bool operator()(pid_t) const;

 private:
  std::vector<std::string> wanted_;  // "NAME=VALUE"
};

}  // namespace peal::launcher
