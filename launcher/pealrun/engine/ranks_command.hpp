// launcher/pealrun/engine/ranks_command.hpp
// The words that another launcher executes for a rank, so that it finds the folder and the
// variables that pealrun was asked for.
//
// Layer    launcher.
// Threads  pure functions.
// Errors   none.
// Source   env(1) of coreutils (8.28 and newer know --chdir), sh(1).
#pragma once

#include <string>
#include <vector>

#include "request/request.hpp"

namespace peal::launcher {

/// One program for all ranks.
std::vector<std::string> ranks_command(const application&);

/// Several: the number of the rank, which is in the variable `rank`, says which program it becomes.
std::vector<std::string> ranks_command(const std::vector<application>&, const std::string& rank);

/// As a shell would read it back.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace peal::launcher
