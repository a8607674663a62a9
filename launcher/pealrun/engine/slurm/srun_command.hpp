// launcher/pealrun/engine/slurm/srun_command.hpp
// A job of pealrun's in the words of srun.
//
// Layer    launcher.
// Threads  pure.
// Errors   throws stop with 2 for an option that has no counterpart: nothing is left out silently.
// Source   srun(1) of Slurm 22.05.
#pragma once

#include <string>
#include <vector>

#include "engine/choice.hpp"
#include "request/request.hpp"

namespace peal::launcher {

/// `name`: what the step is called, by which it is found again. `error_path`: where srun writes
/// what ranks write to their standard error, apart from what it has to say itself; empty: mixed.
std::vector<std::string> srun_command(const job_request&, const allocation&,
                                      const std::string& name, const std::string& error_path);

}  // namespace peal::launcher
