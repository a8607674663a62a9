// launcher/pealrun/nodes/watched_run.hpp
// A job that srun runs, with a look at its nodes: --hang-after and SIGQUIT, --report and --trace.
//
// Layer    launcher.
// Threads  one.
// Errors   throws stop where the report cannot be had, before ranks start.
#pragma once

#include "engine/other_launcher.hpp"
#include "processes/signals.hpp"
#include "request/request.hpp"

namespace peal::launcher {

other_end run_watched(const other_launcher&, const job_request&, signal_source&);

}  // namespace peal::launcher
