#include "placement/placement.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "placement/bindings_text.hpp"
#include "topology/machine.hpp"

namespace peal::launcher {

namespace {

// This setting is the whole system's, so the kernel shows it in the first network namespace only.
// Nothing else tells that one from others without privileges.
bool in_the_first_network_namespace() {
  return ::access("/proc/sys/net/core/netdev_max_backlog", F_OK) == 0;
}

std::vector<int> threads_of(const machine& here) {
  std::vector<int> all;
  for (const std::vector<int>& core : here.cores()) all.insert(all.end(), core.begin(), core.end());
  return all;
}

node_state state_of(const machine& here) {
  node_state made;
  made.quota = here.usable_cores();
  if (here.usable_cores() < static_cast<int>(here.cores().size()))
    made.objection = "the cgroup's quota is smaller than the cpuset";
  else if (!in_the_first_network_namespace())
    made.objection = "jobs in other containers cannot be seen";
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  made.host = name.data();
  return made;
}

}  // namespace

std::vector<program_wish> wishes_of(const job_request& request) {
  std::vector<program_wish> made;
  for (const application& each : request.applications) {
    const char* text = std::getenv("OMP_NUM_THREADS");
    for (const auto& [name, value] : each.variables)
      if (name == "OMP_NUM_THREADS") text = value.c_str();
    int threads = 0;
    if (text != nullptr) std::from_chars(text, text + std::strlen(text), threads);
    const int stated = request.placement.cores_per_rank;
    made.push_back({each.ranks, stated > 0 ? stated : std::clamp(threads, 1, most_threads),
                    stated > 0 || threads > 0});
  }
  return made;
}

placement::placement(const machine& here, const job_request& request)
    : node_{cores_for(node_cores::of(here.handle(), threads_of(here)), request.placement)},
      state_{state_of(here)} {
  std::vector<rankfile_line> lines;
  if (!request.placement.rankfile.empty()) lines = read_rankfile(request.placement.rankfile);
  const core_turn ours;
  look_at_held();
  made_ = map_ranks(node_, request.placement, wishes_of(request), state_, lines);
  // A core that several ranks have is held once.
  std::vector<bool> done(node_.cores.size());
  for (const place& each : made_.places)
    for (std::size_t at = 0; each.bound && at < each.cores.size(); ++at) {
      const auto core = static_cast<std::size_t>(each.cores[at]);
      if (!done[core]) held_.hold(each.threads[at]);
      done[core] = true;
    }
}

std::string placement::text() const {
  return bindings_text(node_, made_.places, made_.unbound, state_.host);
}

void placement::look_at_held() {
  state_.held.resize(node_.cores.size());
  for (const node_core& core : node_.cores)
    if (!core.threads.empty())
      state_.held[static_cast<std::size_t>(core.number)] = !held_.hold(core.threads);
  held_.release();
  state_.blind = held_.blind();
}

}  // namespace peal::launcher
