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

/// Of a job whose ranks pealrun starts itself; engine/other_launcher.hpp has those of others.
std::string explain(const job_request&);

}  // namespace peal::launcher
