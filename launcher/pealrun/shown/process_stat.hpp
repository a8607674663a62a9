// launcher/pealrun/shown/process_stat.hpp
// What the system says of a process.
//
// Layer    launcher.
// Units    seconds; `start` in the system's own unit, since the boot.
// Errors   nothing where the process is gone.
// Source   proc_pid_stat(5).
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

namespace peal::launcher {

struct process_stat {
  static std::optional<process_stat> of(pid_t process);

  char state = '?';
  pid_t parent = 0;
  double cpu_seconds = 0;
  unsigned long long start = 0;
};

/// The numbers of all processes, ascending.
[[nodiscard]] std::vector<pid_t> all_processes();

}  // namespace peal::launcher
