#include "request/options/engine_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "request/checks.hpp"

namespace peal::launcher {

namespace {

std::string check_nodes(const std::string& text) {
  const auto value = number_in<int>(text);
  if (value && *value >= 1 && *value <= most_ranks) return {};
  return fmt::format("'{}' is no number of nodes: a whole number from 1 to {} is allowed", text,
                     most_ranks);
}

// NAME[:SLOTS], parted by commas.
std::string check_hosts(const std::string& text) {
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string each = text.substr(from, to - from);
    const std::size_t colon = each.find(':');
    const auto slots = colon == std::string::npos ? 1 : number_in<int>(each.substr(colon + 1));
    if (each.empty() || colon == 0 || each.find_first_of(" \t'\"") != std::string::npos || !slots ||
        *slots < 1)
      return fmt::format("'{}' in '{}' is no host: NAME or NAME:SLOTS is allowed, parted by commas",
                         each, text);
    from = to + 1;
  }
  return {};
}

std::string check_readable(const std::string& path) {
  if (::access(path.c_str(), R_OK) == 0) return {};
  return fmt::format("{}: {}", path, std::strerror(errno));
}

}  // namespace

void engine_options::declare(CLI::App& app) {
  app.option_defaults()->group("Nodes");
  app.add_option("--engine", engine_,
                 "who starts the ranks: local (on this node), slurm, prrte; auto (as set): slurm "
                 "inside an allocation, prrte with hosts, else local")
      ->check(one_of({"auto", "local", "slurm", "prrte"}))
      ->type_name("");
  app.add_option("-N,--nodes", nodes_, "on how many nodes the ranks run")
      ->check(check_nodes)
      ->type_name("COUNT");
  app.add_option("--host", hosts_, "hosts that the ranks run on, parted by commas")
      ->check(check_hosts)
      ->type_name("NAME[:SLOTS],...");
  app.add_option("--hostfile", host_file_, "a file of hosts")
      ->check(check_readable)
      ->type_name("FILE");
}

void engine_options::put_into(job_request& request) const {
  using enum engine_policy;
  request.engine = engine_ == "local"   ? local
                   : engine_ == "slurm" ? slurm
                   : engine_ == "prrte" ? prrte
                                        : automatic;
  if (!nodes_.empty()) request.nodes = *number_in<int>(nodes_);
  request.hosts = hosts_;
  request.host_file = host_file_;
}

}  // namespace peal::launcher
