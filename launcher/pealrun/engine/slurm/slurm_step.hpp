// launcher/pealrun/engine/slurm/slurm_step.hpp
// The step of Slurm's that runs a job of pealrun's, by its name.
//
// Layer    launcher.
// Threads  one.
// Errors   what cannot be cancelled stays: Slurm's commands have said nothing that would help.
// Source   squeue(1), scancel(1).
#pragma once

#include <string>

namespace peal::launcher {

/// A name that no other step has: program, host, process.
std::string step_name(const std::string& program);

/// Kills what runs under this name, a step or a whole job. Takes some ten milliseconds, and at most
/// a few seconds where Slurm's controller does not answer.
void cancel_step(const std::string& name);

}  // namespace peal::launcher
