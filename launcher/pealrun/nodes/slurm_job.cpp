#include "nodes/slurm_job.hpp"

#include <sstream>

#include "shown/tool.hpp"

namespace peal::launcher {

namespace {

constexpr double patience = 15;

std::optional<slurm_job> find(const std::string& by) {
  const std::string squeue = find_tool("squeue"), scontrol = find_tool("scontrol");
  if (squeue.empty() || scontrol.empty()) return std::nullopt;
  const auto told = run_tool({squeue, "--noheader", "--format=%A|%T|%N", by}, patience);
  if (!told) return std::nullopt;
  const auto found = running_in(*told);
  if (!found) return std::nullopt;
  slurm_job made{found->first, {}};
  const auto names = run_tool({scontrol, "show", "hostnames", found->second}, patience);
  std::istringstream lines{names.value_or("")};
  for (std::string each; lines >> each;) made.nodes.push_back(each);
  if (made.nodes.empty()) return std::nullopt;
  return made;
}

}  // namespace

std::optional<std::pair<std::string, std::string>> running_in(const std::string& lines) {
  std::istringstream all{lines};
  for (std::string line; std::getline(all, line);) {
    const std::size_t state = line.find('|'), nodes = line.find('|', state + 1);
    if (nodes == std::string::npos || state == 0 || nodes + 1 == line.size()) continue;
    if (line.substr(state + 1, nodes - state - 1) == "RUNNING")
      return std::pair{line.substr(0, state), line.substr(nodes + 1)};
  }
  return std::nullopt;
}

std::optional<slurm_job> running_job(const std::string& number) { return find("--jobs=" + number); }

std::optional<slurm_job> running_job_named(const std::string& name) {
  return find("--name=" + name);
}

}  // namespace peal::launcher
