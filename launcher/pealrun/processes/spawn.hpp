// launcher/pealrun/processes/spawn.hpp
// Starts the process of one rank.
//
// Layer    launcher.
// Threads  from the main thread only: a rank is killed when the thread that forked it ends
//          (PR_SET_PDEATHSIG).
// Errors   throws std::system_error when there is no process to be had. What fails in the child is
//          told on its standard error, and it exits with 127 or 126.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "processes/descriptors.hpp"
#include "processes/signals.hpp"
#include "request/request.hpp"

namespace peal::launcher {

struct rank_start {
  const application* what = nullptr;
  std::vector<std::string> environment;
  int input = -1;            // its standard input; -1: /dev/null
  int output = -1;           // -1: as pealrun's
  int error = -1;            // -1: as pealrun's
  int guard = -1;            // descriptor of the guard
  std::vector<int> threads;  // hardware threads to run on; empty: as pealrun
};

/// Returns its pid, which is its process group too.
pid_t start_rank(const rank_start&, const signal_source&, const descriptor_limit&);

}  // namespace peal::launcher
