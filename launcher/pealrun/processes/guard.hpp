// launcher/pealrun/processes/guard.hpp
// A small process that outlives pealrun: when pealrun dies without a word (SIGKILL), it kills what
// ranks left running and removes files.
//
// Layer    launcher: may include bootstrap/.
// Threads  made before any thread is started, since it is a fork that goes on running our code.
// Errors   throws std::system_error when there is no pipe or process to be had.
// Source   the ranks' own PR_SET_PDEATHSIG reaches neither grandchildren (`bash -c`) nor files.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace peal::launcher {

class guard {
 public:
  /// Everything of the job `job` in these folders is removed when pealrun dies.
  guard(const std::string& job, const std::vector<std::string>& folders);
  ~guard();  // sends it home and waits for it
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;

  /// A rank writes its process group here before it executes its program, in one write of
  /// sizeof(pid_t).
  [[nodiscard]] int descriptor() const noexcept { return pipe_; }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  int pipe_ = -1;
  pid_t pid_ = -1;
};

/// Kills every process of this user that has the job's PMIX_NAMESPACE in its environment, whatever
/// its parent or group. Returns how many.
int kill_by_environment(const std::string& job);

}  // namespace peal::launcher
