#include "placement/node_cores.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <map>
#include <set>

namespace peal::launcher {

namespace {

// The NUMA node whose memory is the core's own: the one with the fewest cores that has this one.
// Where there are several, as with memory of two kinds, the first.
int numa_of(hwloc_topology_t topology, hwloc_obj_t core) {
  hwloc_obj_t best = nullptr;
  for (hwloc_obj_t each = nullptr;
       (each = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, each)) != nullptr;)
    if (hwloc_bitmap_isincluded(core->cpuset, each->cpuset) != 0 &&
        (best == nullptr || hwloc_bitmap_weight(each->cpuset) < hwloc_bitmap_weight(best->cpuset)))
      best = each;
  return best == nullptr ? 0 : static_cast<int>(best->os_index);
}

int number_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t core) {
  const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, core);
  return found == nullptr ? -1 : static_cast<int>(found->logical_index);
}

std::string counted(int count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace

node_cores node_cores::of(hwloc_topology* topology, const std::vector<int>& allowed) {
  node_cores made;
  const std::set<int> may(allowed.begin(), allowed.end());
  const hwloc_obj_type_t unit =
      hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  std::map<int, int> met;  // cores so far by socket
  std::set<int> numas, caches;
  int without_cache = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE);
  std::map<int, int> stand_ins;  // for the caches of cores that have none, by NUMA node
  for (hwloc_obj_t each = nullptr;
       (each = hwloc_get_next_obj_by_type(topology, unit, each)) != nullptr;) {
    node_core core;
    core.number = static_cast<int>(made.cores.size());
    core.socket = std::max(0, number_of(topology, HWLOC_OBJ_PACKAGE, each));
    core.in_socket = met[core.socket]++;
    core.numa = numa_of(topology, each);
    numas.insert(core.numa);
    core.l3 = number_of(topology, HWLOC_OBJ_L3CACHE, each);
    if (core.l3 >= 0) caches.insert(core.l3);
    else {
      const auto [at, added] = stand_ins.emplace(core.numa, without_cache);
      without_cache += added ? 1 : 0;
      core.l3 = at->second;
    }
    for (int at = -1; (at = hwloc_bitmap_next(each->cpuset, at)) >= 0;)
      if (may.contains(at)) core.threads.push_back(at);
    made.threads += static_cast<int>(core.threads.size());
    made.cores.push_back(std::move(core));
  }
  made.sockets = static_cast<int>(met.size());
  made.numas = static_cast<int>(numas.size());
  made.l3s = static_cast<int>(caches.size());
  return made;
}

node_cores node_cores::restricted_to(const std::vector<int>& threads) const {
  node_cores made = *this;
  made.threads = 0;
  for (node_core& core : made.cores) {
    std::erase_if(core.threads, [&](int each) {
      return !std::binary_search(threads.begin(), threads.end(), each);
    });
    made.threads += static_cast<int>(core.threads.size());
  }
  return made;
}

std::vector<int> node_cores::usable() const {
  std::vector<int> found;
  for (const node_core& each : cores)
    if (!each.threads.empty()) found.push_back(each.number);
  return found;
}

std::vector<int> node_cores::all_threads() const {
  std::vector<int> found;
  for (const node_core& each : cores)
    found.insert(found.end(), each.threads.begin(), each.threads.end());
  std::sort(found.begin(), found.end());
  return found;
}

std::string node_cores::text() const {
  std::string made = counted(sockets, "socket", "sockets");
  made += ", " + counted(numas, "NUMA node", "NUMA nodes");
  if (l3s > 0) made += ", " + counted(l3s, "L3 cache", "L3 caches");
  made += ", " + counted(static_cast<int>(cores.size()), "core", "cores");
  if (threads > static_cast<int>(usable().size()))
    made += ", " + counted(threads, "hardware thread", "hardware threads");
  return made;
}

}  // namespace peal::launcher
