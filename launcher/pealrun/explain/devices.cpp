#include "explain/devices.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/settings.hpp"
#include "topology/core_sharing.hpp"
#include "topology/machine.hpp"
#include "transport/verbs/setup/interface.hpp"

namespace peal::launcher {

namespace {

// For as long as it lives the process has a program's variables.
class variables_of {
 public:
  explicit variables_of(const application& what) {
    for (const auto& [name, value] : what.variables) {
      const char* before = std::getenv(name.c_str());
      before_.emplace_back(name, before ? std::optional<std::string>{before} : std::nullopt);
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~variables_of() {
    std::for_each(before_.rbegin(), before_.rend(), [](const auto& each) {
      if (each.second) ::setenv(each.first.c_str(), each.second->c_str(), 1);
      else ::unsetenv(each.first.c_str());
    });
  }
  variables_of(const variables_of&) = delete;
  variables_of& operator=(const variables_of&) = delete;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

// For as long as it lives the process runs where a rank would. Which devices are near is found out
// from there.
class affinity_of {
 public:
  explicit affinity_of(const std::vector<int>& threads) {
    if (threads.empty() || !before_.read(0)) return;
    cpu_mask wanted;
    wanted.used = before_.used;
    for (const int each : threads)
      wanted.words[static_cast<std::size_t>(each) / cpu_mask::word_bits] |=
          std::uint64_t{1} << (static_cast<std::size_t>(each) % cpu_mask::word_bits);
    changed_ = wanted.bind();
  }
  ~affinity_of() {
    if (changed_) before_.bind();
  }
  affinity_of(const affinity_of&) = delete;
  affinity_of& operator=(const affinity_of&) = delete;

 private:
  cpu_mask before_;
  bool changed_ = false;
};

std::vector<verbs::port_facts> ports_near(const std::vector<int>& threads) {
  const affinity_of there{threads};
  const machine here;
  std::vector<verbs::port_facts> ports;
  for (const verbs::device_report& each : verbs::inventory(here))
    ports.insert(ports.end(), each.ports.begin(), each.ports.end());
  return ports;
}

std::string used_by(std::size_t rank, const application& what,
                    const std::vector<verbs::port_facts>& ports) {
  const variables_of set{what};
  const job_settings settings = job_settings::from_environment();
  const verbs::rails_result found =
      verbs::choose_rails(ports, verbs::wishes_of(settings.verbs, static_cast<unsigned>(rank)));
  if (found.rails.empty()) return "none: " + found.problem;
  std::string made;
  for (const verbs::choice& each : found.rails)
    made += fmt::format("{}{}, GID {} ({})",
                        made.empty()                               ? ""
                        : each.role == verbs::choice_role::instead ? "; if a peer lacks its "
                                                                     "network "
                                                                   : "; ",
                        ports[each.port].name(), each.gid.index, each.reason);
  return made;
}

}  // namespace

std::vector<std::string> devices_of_ranks(const job_request& request,
                                          const std::vector<place>& places) {
  std::map<std::vector<int>, std::vector<verbs::port_facts>> known;  // by hardware threads
  struct run {
    std::size_t first, last;
    std::string text;
  };
  std::vector<run> runs;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const std::vector<int> threads = places[rank].all_threads();
    const auto at = known.find(threads) != known.end()
                        ? known.find(threads)
                        : known.emplace(threads, ports_near(threads)).first;
    std::string text = used_by(
        rank, request.applications[request.application_of(static_cast<int>(rank))], at->second);
    if (!runs.empty() && runs.back().text == text) runs.back().last = rank;
    else runs.push_back({rank, rank, std::move(text)});
  }
  std::vector<std::string> lines;
  for (const run& each : runs)
    lines.push_back(each.first == each.last
                        ? fmt::format("rank {}: {}", each.first, each.text)
                        : fmt::format("ranks {}-{}: {}", each.first, each.last, each.text));
  return lines;
}

}  // namespace peal::launcher
