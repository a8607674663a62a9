// launcher/pealrun/engine/choice.hpp
// Which launcher starts the ranks: pealrun itself, Slurm or PRRTE.
//
// Layer    launcher.
// Threads  pure functions, but for the host file that is read.
// Errors   throws stop with 2 where what is asked for does not fit where pealrun runs.
// Source   srun(1): output environment variables; Open MPI's prterun(1): host files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "request/request.hpp"

namespace peal::launcher {

enum class engine { local, slurm, prrte };

/// What Slurm has set in the environment.
struct allocation {
  std::string job;        // empty: not inside of an allocation
  int step_tasks = 0;     // of the step that pealrun is part of; 0: of none
  int cpus = 0;           // of all nodes; 0: not said
  int cpus_per_task = 0;  // 0: not said
};

using variable_reader = std::function<const char*(const char*)>;
allocation allocation_of(const variable_reader&);

struct host {
  std::string name;
  std::optional<int> slots;
};

/// The hosts of --host and --hostfile, in their order. Throws stop, with file and line, where a
/// line is no host.
std::vector<host> hosts_of(const job_request&);

engine choose_engine(const job_request&, const allocation&, const std::string& this_host);

}  // namespace peal::launcher
