// launcher/pealrun/processes/strays.hpp
// Processes that ranks left behind and that became pealrun's children, since it is the reaper of
// its descendants (PR_SET_CHILD_SUBREAPER).
//
// What ran before the job is no stray: a shell that becomes pealrun (`exec pealrun ... > >(tee
// log)`) hands its children over to it, and those may leave it children of their own. Ranks have
// process groups of their own, so a process in a group that was there before the job comes from
// there.
//
// Layer    launcher.
// Threads  one, the main thread: orphans are given to it.
// Source   prctl(2), proc(5): /proc/PID/task/TID/children.
#pragma once

#include <sys/types.h>

#include <unordered_set>

namespace peal::launcher {

class strays {
 public:
  /// Made before the first child of ours.
  strays();

  /// From now on another part of pealrun waits for this child; `forget`: that is over.
  void leave_out(pid_t child) { awaited_.insert(child); }
  void forget(pid_t child) { awaited_.erase(child); }

  /// Fetches strays that have ended, so that a long job does not gather them.
  void reap();
  /// Whether one runs that belongs to the process group of a child that another part of pealrun
  /// waits for.
  [[nodiscard]] bool any_in_group_of_others() const;
  /// Kills all strays and waits for them.
  void end();

 private:
  [[nodiscard]] bool ran_before(pid_t child) const;

  std::unordered_set<pid_t> awaited_;
  std::unordered_set<pid_t> before_;         // children at the start
  std::unordered_set<pid_t> groups_before_;  // theirs, and our own
};

}  // namespace peal::launcher
