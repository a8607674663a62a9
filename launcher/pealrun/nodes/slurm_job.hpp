// launcher/pealrun/nodes/slurm_job.hpp
// Where a job of Slurm's runs.
//
// Layer    launcher.
// Threads  runs squeue and scontrol, and waits for them for some seconds at most.
// Errors   nothing where Slurm knows no such job, or does not answer.
// Source   squeue(1), scontrol(1).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace peal::launcher {

struct slurm_job {
  std::string number;
  std::vector<std::string> nodes;
};

/// A job that runs, by its number.
[[nodiscard]] std::optional<slurm_job> running_job(const std::string& number);
/// The same, by its name.
[[nodiscard]] std::optional<slurm_job> running_job_named(const std::string& name);

/// Of squeue's line "NUMBER|STATE|NODES", number and nodes where it runs.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> running_in(
    const std::string& lines);

}  // namespace peal::launcher
