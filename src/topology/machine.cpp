#include "topology/machine.hpp"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "peal/error.hpp"

namespace peal {

namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in{file};
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<double> ratio(const std::string& quota, const std::string& period) {
  try {
    const double top = std::stod(quota), bottom = std::stod(period);
    if (top > 0 && bottom > 0) return top / bottom;
  } catch (const std::logic_error&) {  // "max", -1, or nothing: no limit
  }
  return std::nullopt;
}

// The limit that one cgroup sets, in cores.
std::optional<double> limit_of(const std::filesystem::path& group, bool second_version) {
  if (!second_version)
    return ratio(first_line(group / "cpu.cfs_quota_us"), first_line(group / "cpu.cfs_period_us"));
  std::istringstream words{first_line(group / "cpu.max")};
  std::string quota, period;
  words >> quota >> period;
  return ratio(quota, period);
}

class affinity {
 public:
  affinity() : set_{hwloc_bitmap_alloc()} {}
  ~affinity() { hwloc_bitmap_free(set_); }
  affinity(const affinity&) = delete;
  affinity& operator=(const affinity&) = delete;
  [[nodiscard]] hwloc_bitmap_t get() const { return set_; }

 private:
  hwloc_bitmap_t set_;
};

// The hardware threads of `object` among those allowed.
std::vector<int> threads_of(hwloc_obj_t object, hwloc_const_bitmap_t allowed) {
  std::vector<int> threads;
  int at = -1;
  while ((at = hwloc_bitmap_next(object->cpuset, at)) >= 0)
    if (hwloc_bitmap_isset(allowed, static_cast<unsigned>(at)) != 0) threads.push_back(at);
  return threads;
}

}  // namespace

struct machine::state {
  hwloc_topology_t topology = nullptr;
  std::vector<std::vector<int>> cores;
  int usable = 1;
};

machine::machine() : state_{std::make_unique<state>()} {
  hwloc_topology_t& topology = state_->topology;
  if (hwloc_topology_init(&topology) != 0)
    throw error(errc::internal, "hwloc_topology_init failed");
  // The gl component asks X servers over the network; x86 runs cpuid on every core in turn and
  // tells nothing that the kernel does not.
  for (const char* slow : {"gl", "x86"})
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, slow);
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t kept :
       {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE})
    hwloc_topology_set_type_filter(topology, kept, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(topology) != 0) {
    hwloc_topology_destroy(topology);
    throw error(errc::internal, "hwloc cannot read the topology of this machine");
  }
  const affinity allowed;
  if (hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_THREAD) != 0)
    hwloc_bitmap_copy(allowed.get(), hwloc_topology_get_allowed_cpuset(topology));
  // Some virtual machines show no cores: then each hardware thread is one.
  const hwloc_obj_type_t unit =
      hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(topology, unit, core)) != nullptr;)
    if (auto threads = threads_of(core, allowed.get()); !threads.empty())
      state_->cores.push_back(std::move(threads));
  state_->usable = std::max(1, static_cast<int>(state_->cores.size()));
  std::ostringstream membership;
  membership << std::ifstream{"/proc/self/cgroup"}.rdbuf();
  if (const auto quota = core_quota(membership.str()))
    state_->usable = std::min(state_->usable, *quota);
}

machine::~machine() { hwloc_topology_destroy(state_->topology); }

const std::vector<std::vector<int>>& machine::cores() const noexcept { return state_->cores; }
int machine::usable_cores() const noexcept { return state_->usable; }
hwloc_topology* machine::handle() const noexcept { return state_->topology; }

// Lines are "id:controllers:path"; an empty list of controllers is cgroup v2. A group's limit holds
// for all below it, so every level counts.
std::optional<int> core_quota(std::string_view membership, const std::filesystem::path& mount) {
  std::optional<double> least;
  std::istringstream lines{std::string{membership}};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool second_version = controllers == ",,";
    if (!second_version && controllers.find(",cpu,") == std::string::npos) continue;
    const std::filesystem::path root = second_version ? mount : mount / "cpu";
    std::filesystem::path group = std::filesystem::path{line.substr(second + 1)}.relative_path();
    // Inside a container the path may be the host's, which is not there; the mount itself is then
    // the container's group.
    for (;; group = group.parent_path()) {
      if (const auto limit = limit_of(root / group, second_version))
        least = std::min(least.value_or(*limit), *limit);
      if (group.empty()) break;
    }
  }
  if (!least) return std::nullopt;
  // A quota set as a fraction may miss the whole number by rounding.
  return std::max(1, static_cast<int>(*least + 0.01));
}

}  // namespace peal
