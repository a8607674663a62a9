// launcher/pealrun/hang/attach.hpp
// pealrun --attach: what the ranks of a running job do, once or again and again, without disturbing
// them.
//
// Layer    launcher.
// Threads  one.
// Errors   throws stop: there is no such job, several, or the command line is wrong.
#pragma once

#include <string>
#include <vector>

#include "shown/snapshot.hpp"

namespace peal::launcher {

inline constexpr const char* attach_word = "--attach";

/// `words` are those behind --attach. Returns the exit code.
int attach(const std::vector<std::string>& words);

/// Of the jobs, the one with that name, with a name that alone begins so, or with a rank among
/// these processes. Throws stop.
[[nodiscard]] const job_snapshot& chosen_job(const std::vector<job_snapshot>&,
                                             const std::string& wanted);

}  // namespace peal::launcher
