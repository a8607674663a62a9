#include "explain/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/settings.hpp"
#include "base/variables.hpp"
#include "engine/ranks_command.hpp"
#include "explain/devices.hpp"
#include "placement/placement.hpp"
#include "topology/machine.hpp"

namespace peal::launcher {

namespace {

constexpr std::size_t text_column = 11;

// A subject, and its lines below each other beside it.
std::string paragraph(const std::string& subject, const std::vector<std::string>& lines) {
  std::string made;
  for (const std::string& each : lines)
    made += fmt::format("{:<{}}{}\n", made.empty() ? subject : "", text_column, each);
  return made;
}

std::string ranks_from(int first, int count) {
  return count == 1 ? fmt::format("rank {}", first)
                    : fmt::format("ranks {}-{}", first, first + count - 1);
}

// For each program: its ranks, and what is executed.
std::vector<std::string> programs_of(const job_request& request) {
  std::vector<std::string> lines;
  int first = 0;
  for (const application& each : request.applications) {
    std::vector<std::string> words = each.arguments;
    words.front() = each.program;
    lines.push_back(fmt::format("{}: {}{}", ranks_from(first, each.ranks), shell_text(words),
                                each.folder.empty() ? "" : fmt::format(" (in {})", each.folder)));
    first += each.ranks;
  }
  return lines;
}

std::vector<std::string> variables_for(const job_request& request,
                                       const std::vector<place>& places) {
  std::vector<std::string> lines;
  int first = 0;
  for (const application& each : request.applications) {
    std::vector<std::string> set;
    for (const auto& [name, value] : each.variables)
      set.push_back(fmt::format("{}={}", name, value));
    if (!set.empty())
      lines.push_back(fmt::format("{}: {}", ranks_from(first, each.ranks), shell_text(set)));
    const auto said = [&](const char* name) {
      return std::getenv(name) != nullptr ||
             std::any_of(each.variables.begin(), each.variables.end(),
                         [name](const auto& variable) { return variable.first == name; });
    };
    const bool free = !said("OMP_PLACES") && !said("OMP_PROC_BIND");
    for (int rank = first; free && rank < first + each.ranks && !places.empty(); ++rank)
      if (const auto list = places[static_cast<std::size_t>(rank)].openmp_places(); !list.empty())
        lines.push_back(fmt::format("rank {}: OMP_PLACES={}", rank, list));
    first += each.ranks;
  }
  std::vector<std::string> inherited;
  for (const variable& each : variables()) {
    if (each.name == "PEAL_RESTART") continue;  // pealrun has set it itself
    if (const char* value = std::getenv(std::string{each.name}.c_str()))
      inherited.push_back(fmt::format("{}={}", each.name, value));
  }
  if (!inherited.empty())
    lines.push_back("all ranks, from the environment: " + shell_text(inherited));
  return lines;
}

}  // namespace

std::string explain(const job_request& request) {
  const job_settings settings = job_settings::from_environment();
  std::string made = paragraph("Engine", {"local: pealrun starts all ranks on this machine"});
  const machine here;
  const placement places{here, request};
  made += paragraph("Programs", programs_of(request));
  made += paragraph("Cores", {fmt::format("{} for this job", places.cores())});
  if (!places.warning().empty()) made += paragraph("Warning", {places.warning()});
  std::vector<std::string> devices = devices_of_ranks(request, places.places());
  if (settings.transport != transport_mode::verbs)
    devices.insert(devices.begin(),
                   "not used between ranks of one machine unless PEAL_TRANSPORT=verbs; else");
  made += paragraph("Devices", devices);
  std::vector<std::string> set = variables_for(request, places.places());
  set.emplace_back("all ranks: those of PMIx (PMIX_...), by which they find pealrun");
  made += paragraph("Variables", set);
  return made + places.text();
}

}  // namespace peal::launcher
