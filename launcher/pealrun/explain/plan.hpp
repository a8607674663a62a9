// launcher/pealrun/explain/plan.hpp
// What --explain says: who would start the ranks, where each would run, over which device it would
// talk, and with which variables. Nothing is started.
//
// Layer    launcher: may include topology/, transport/verbs/setup/.
// Threads  the process must have no other one: affinity and environment change for a moment.
// Errors   throws stop and peal::error as a start of the job does.
#pragma once

#include <string>
#include <vector>

#include "placement/place.hpp"
#include "request/request.hpp"

namespace peal::launcher {

/// Who starts the ranks.
struct engine_plan {
  std::string name = "local: pealrun starts all ranks on this machine";
  /// The command that pealrun would become, word for word; empty: none, it starts the ranks itself.
  std::vector<std::string> command;
};

/// Of a job whose ranks pealrun starts itself, or that another launcher starts; then places and
/// devices are left to that one.
std::string explain(const job_request&, const engine_plan& = {});

/// Words as a shell reads them.
std::string shell_words(const std::vector<std::string>&);

}  // namespace peal::launcher
