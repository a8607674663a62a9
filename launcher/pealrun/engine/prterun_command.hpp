// launcher/pealrun/engine/prterun_command.hpp
// A job of pealrun's in the words of prterun, and whether a prterun can start it.
//
// Layer    launcher.
// Threads  pure functions.
// Errors   prterun_command throws stop with 2 for an option that has no counterpart: nothing is
//          left out silently.
// Source   prterun(1) of PRRTE 3.0; its VERSION files for the libpmix that a release needs.
#pragma once

#include <string>
#include <vector>

#include "request/request.hpp"

namespace peal::launcher {

/// `root`: pealrun runs as root, which prterun else refuses.
std::vector<std::string> prterun_command(const job_request&, bool root);

/// What `prterun --version` and PMIx_Get_version have told; gives the sentence that says why they
/// do not go together, or nothing.
std::string objection_to_prterun(const std::string& prterun_version,
                                 const std::string& pmix_version);

}  // namespace peal::launcher
