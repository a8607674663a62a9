// tests/unit/launcher/placement/topologies.hpp
// Machines that are not there, for tests of what places ranks on them.
//
// Layer    tests.
// Threads  one.
// Errors   throws std::runtime_error when hwloc does not take the description.
// Source   hwloc 2 reference, synthetic topologies.
#pragma once

#include <hwloc.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "placement/node_cores.hpp"

namespace peal::launcher::test {

/// A topology as hwloc describes them in words.
class synthetic {
 public:
  explicit synthetic(const std::string& description) {
    if (hwloc_topology_init(&topology_) != 0) throw std::runtime_error{"hwloc_topology_init"};
    if (hwloc_topology_set_synthetic(topology_, description.c_str()) != 0 ||
        hwloc_topology_load(topology_) != 0) {
      hwloc_topology_destroy(topology_);
      throw std::runtime_error{"no such topology: " + description};
    }
  }
  ~synthetic() { hwloc_topology_destroy(topology_); }
  synthetic(const synthetic&) = delete;
  synthetic& operator=(const synthetic&) = delete;
  [[nodiscard]] hwloc_topology_t get() const { return topology_; }

  /// All its hardware threads.
  [[nodiscard]] std::vector<int> threads() const {
    std::vector<int> all;
    const hwloc_const_cpuset_t set = hwloc_topology_get_topology_cpuset(topology_);
    for (int at = -1; (at = hwloc_bitmap_next(set, at)) >= 0;) all.push_back(at);
    return all;
  }
  /// Takes hardware threads away, as a cgroup's cpuset does.
  void leave(const std::vector<int>& threads) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (const int each : threads) hwloc_bitmap_set(set, static_cast<unsigned>(each));
    hwloc_topology_restrict(topology_, set, 0);
    hwloc_bitmap_free(set);
  }

 private:
  hwloc_topology_t topology_ = nullptr;
};

inline node_cores cores_of(const synthetic& machine) {
  return node_cores::of(machine.get(), machine.threads());
}
inline node_cores cores_of(const std::string& description) {
  return cores_of(synthetic{description});
}

/// 2 sockets of 2 NUMA nodes of 2 caches of 4 cores of 2 hardware threads.
inline constexpr const char* large = "pack:2 numa:2 l3:2 core:4 pu:2";

}  // namespace peal::launcher::test
