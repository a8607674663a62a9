// launcher/pealrun/engine/slurm/slurm_step.hpp
// The step of Slurm's that runs a job of pealrun's, by its name, and what Slurm tells of it.
//
// Layer    launcher.
// Threads  one.
// Errors   what cannot be cancelled stays: Slurm's commands have said nothing that would help.
// Source   squeue(1), scancel(1), scontrol(1).
#pragma once

#include <string>

namespace peal::launcher {

/// A name that no other step has: program, host, process.
std::string step_name(const std::string& program);

/// Kills what runs under this name, a step or a whole job. Takes some ten milliseconds, and at most
/// a few seconds where Slurm's controller does not answer.
void cancel_step(const std::string& name);

/// Why Slurm itself has ended the job that the step is in: "job 7 of Slurm's has reached its time
/// limit". Empty where it has not, or does not say.
std::string end_by_slurm(const std::string& name);

/// A line of scontrol's; empty where it says nothing.
std::string told_of_node(const std::string& node);

}  // namespace peal::launcher
