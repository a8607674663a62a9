#include "engine/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "request/checks.hpp"

namespace peal::launcher {

namespace {

// The step of an interactive shell, which salloc starts where slurm.conf has use_interactive_step:
// inside of it steps are started as outside.
constexpr const char* interactive_step = "4294967290";

int number_of(const char* text) { return text == nullptr ? 0 : number_in<int>(text).value_or(0); }

// "8(x2),4": eight on each of two nodes, four on the next.
int sum_of_list(const char* text) {
  int sum = 0;
  std::istringstream parts{text != nullptr ? text : ""};
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t bracket = part.find("(x");
    const int times = bracket == std::string::npos ? 1 : std::atoi(part.c_str() + bracket + 2);
    sum += std::atoi(part.c_str()) * times;
  }
  return sum;
}

host host_in(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, colon), number_in<int>(text.substr(colon + 1))};
}

[[noreturn]] void refuse_line(const std::string& file, int line, const std::string& text) {
  throw stop{2, fmt::format("pealrun: {}:{}: '{}' is no host: expected NAME, NAME:SLOTS or NAME "
                            "slots=COUNT\n",
                            file, line, text)};
}

std::optional<host> host_of_line(const std::string& text, const std::string& file, int line) {
  std::istringstream words{text.substr(0, text.find('#'))};
  std::string word;
  if (!(words >> word)) return std::nullopt;
  host found = host_in(word);
  const bool slots_said = word.find(':') != std::string::npos;
  if (found.name.empty() || found.name.find('=') != std::string::npos ||
      (slots_said && found.slots.value_or(0) < 1))
    refuse_line(file, line, text);
  while (words >> word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto value =
        equals == std::string::npos ? std::nullopt : number_in<int>(word.substr(equals + 1));
    if (!value || *value < 1 || (name != "slots" && name != "max_slots" && name != "max-slots"))
      refuse_line(file, line, text);
    if (name == "slots") found.slots = value;
  }
  return found;
}

bool is_here(const std::string& name, const std::string& this_host) {
  return name == "localhost" || name == "127.0.0.1" || name == this_host ||
         name == this_host.substr(0, this_host.find('.'));
}

// Hosts that are all this one make a job of one node.
bool all_here(const std::vector<host>& hosts, const std::string& this_host) {
  return std::all_of(hosts.begin(), hosts.end(),
                     [&](const host& each) { return is_here(each.name, this_host); });
}

void check_slots_here(const job_request& request, const std::vector<host>& hosts) {
  int slots = 0;
  for (const host& each : hosts) {
    if (!each.slots) return;
    slots += *each.slots;
  }
  if (!hosts.empty() && request.ranks() > slots)
    throw stop{2, fmt::format("pealrun: {} ranks on {} slot{} of this host: give it more slots, "
                              "as localhost:{}\n",
                              request.ranks(), slots, slots == 1 ? "" : "s", request.ranks())};
}

engine one_node(const job_request& request, const std::vector<host>& hosts,
                const std::string& this_host) {
  if (request.nodes > 1)
    throw stop{2, fmt::format("pealrun: --nodes {}: pealrun itself starts ranks on this node only; "
                              "run it inside of salloc, or give --engine slurm, or --host\n",
                              request.nodes)};
  for (const host& each : hosts)
    if (!is_here(each.name, this_host))
      throw stop{2, fmt::format("pealrun: {}: --engine local starts ranks on this node only, which "
                                "is {}; leave --engine out\n",
                                each.name, this_host)};
  check_slots_here(request, hosts);
  return engine::local;
}

}  // namespace

allocation allocation_of(const variable_reader& variable) {
  allocation found;
  if (const char* job = variable("SLURM_JOB_ID")) found.job = job;
  const char* step = variable("SLURM_STEP_ID");
  if (step != nullptr && std::string_view{step} != interactive_step)
    found.step_tasks = std::max(1, number_of(variable("SLURM_STEP_NUM_TASKS")));
  found.cpus = sum_of_list(variable("SLURM_JOB_CPUS_PER_NODE"));
  found.cpus_per_task = number_of(variable("SLURM_CPUS_PER_TASK"));
  return found;
}

std::vector<host> hosts_of(const job_request& request) {
  std::vector<host> found;
  std::istringstream list{request.hosts};
  for (std::string each; std::getline(list, each, ',');) found.push_back(host_in(each));
  if (request.host_file.empty()) return found;
  std::ifstream file{request.host_file};
  int number = 0;
  for (std::string line; std::getline(file, line);)
    if (const auto each = host_of_line(line, request.host_file, ++number)) found.push_back(*each);
  if (found.empty()) throw stop{2, fmt::format("pealrun: {} names no host\n", request.host_file)};
  return found;
}

engine choose_engine(const job_request& request, const allocation& slurm,
                     const std::string& this_host) {
  const std::vector<host> hosts = hosts_of(request);
  switch (request.engine) {
    case engine_policy::local: return one_node(request, hosts, this_host);
    case engine_policy::slurm: return engine::slurm;
    case engine_policy::prrte: return engine::prrte;
    case engine_policy::automatic: break;
  }
  if (slurm.step_tasks > 1)
    throw stop{2, fmt::format("pealrun: srun has started pealrun itself {} times, and each would "
                              "start a job of its own: start it once, in salloc or sbatch, or the "
                              "program by srun --mpi=pmix without pealrun; --engine local starts "
                              "the jobs\n",
                              slurm.step_tasks)};
  if (!slurm.job.empty() && slurm.step_tasks == 0) return engine::slurm;
  if (!hosts.empty() && !all_here(hosts, this_host)) return engine::prrte;
  return one_node(request, hosts, this_host);
}

}  // namespace peal::launcher
