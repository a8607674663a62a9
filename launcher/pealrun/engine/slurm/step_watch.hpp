// launcher/pealrun/engine/slurm/step_watch.hpp
// What runs on each node of a step beside its ranks: it waits for the end of Slurm's step daemon
// there. srun does not notice when that one is killed, and the ranks, which would be its children,
// go on without it.
//
// Layer    launcher.
// Threads  one.
// Errors   none: where processes cannot be seen, nothing is watched.
// Source   proc(5), pidfd_open(2); SLURM_TASK_PID and SLURM_JOB_NAME as srun(1) has them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace peal::launcher {

/// The first word of such a pealrun; the name of the step is the second one.
inline constexpr const char* watch_step_word = "--watch-step";

// What it writes to standard output, before the name of its node: that it is there, again and
// again; that the daemon has ended before its ranks; that the step has ended there as it should.
inline constexpr const char* watch_told_alive = "alive";
inline constexpr const char* watch_told_lost = "lost";
inline constexpr const char* watch_told_over = "over";

struct step_processes {
  pid_t daemon = -1;           // the parent of the ranks; -1: none of them has it any more
  std::vector<pid_t> ranks;    // those that the daemon has started itself
  std::vector<pid_t> started;  // what ranks have started, in whatever group or session
  bool left = false;           // some of that has outlived its rank
};

/// The processes of the step on the node that Slurm calls `node`, as `proc` (/proc) shows them.
/// Slurmds of several nodes may run on one machine.
step_processes step_on_node(const std::string& proc, const std::string& name,
                            const std::string& node);

/// Returns pealrun's exit code when the step has ended here. Kills what the step has left.
int watch_step(const std::string& name);

}  // namespace peal::launcher
