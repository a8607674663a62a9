// topology/machine.hpp
// The cores of this node that the calling process may use, and how many of them at a time.
//
// Layer    topology: may include base/.
// Units    cores are physical cores: two hardware threads of one core share its execution units, so
//          they count as one.
// Threads  a machine is constant once made.
// Errors   throws peal::error (errc::internal) when hwloc cannot read the topology at all.
// Source   hwloc 2 reference; kernel documentation cgroup-v2 (cpu.max), sched-bwc (cgroup v1).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

struct hwloc_topology;

namespace peal {

class machine {
 public:
  machine();
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  /// Each physical core by its hardware threads (the system's numbers, ascending), without those
  /// that the cpuset or the affinity of the calling thread forbids. Neighbours stand side by side.
  [[nodiscard]] const std::vector<std::vector<int>>& cores() const noexcept;
  /// How many of them may be busy at a time: the cgroup's quota may be smaller. At least 1.
  [[nodiscard]] int usable_cores() const noexcept;
  /// For callers that use hwloc. Lives as long as the machine.
  [[nodiscard]] hwloc_topology* handle() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Whole cores' worth of time that the cgroup of this process and those above it grant, at least 1;
/// nothing when there is no limit. The arguments are what /proc/self/cgroup says and where cgroups
/// are mounted.
std::optional<int> core_quota(std::string_view membership,
                              const std::filesystem::path& mount = "/sys/fs/cgroup");

/// How many ranks share a core at worst, when the system spreads `ranks` over `cores`. Requires:
/// cores > 0.
constexpr int ranks_per_core(int ranks, int cores) noexcept { return (ranks + cores - 1) / cores; }

}  // namespace peal
