// launcher/pealrun/engine/other_launcher.hpp
// The door of this folder: which launcher a request needs, with the command, and its run.
//
// Layer    launcher.
// Threads  one.
// Errors   throws stop where the request cannot be handed on, or where the launcher is missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/choice.hpp"
#include "engine/other_end.hpp"
#include "processes/signals.hpp"
#include "request/request.hpp"

namespace peal::launcher {

/// How another launcher is called for a request.
struct other_launcher {
  engine which = engine::local;
  std::vector<std::string> words;
  std::string step;  // Slurm's name for it
};

/// Nothing where pealrun itself starts the ranks.
std::optional<other_launcher> other_launcher_for(const job_request&);

/// For --explain: the engine and the command, as a shell would read it.
std::string explain(const other_launcher&);

other_end run_by(const other_launcher&, const job_request&, signal_source&);

}  // namespace peal::launcher
