// launcher/pealrun/placement/node_cores.hpp
// The cores of a node as plain data: what placing ranks and showing their places needs of hwloc.
//
// Layer    launcher: may include topology/.
// Units    physical cores; hardware threads by the system's numbers.
// Threads  constant once made.
// Errors   nothing throws but std::bad_alloc.
// Source   hwloc 2 reference. On some machines there are no L3 caches, NUMA nodes have no cores of
//          their own, or one L3 has several NUMA nodes; virtual machines may show no cores.
#pragma once

#include <string>
#include <vector>

struct hwloc_topology;

namespace peal::launcher {

struct node_core {
  int number = 0;            // on the node, from 0 on, neighbours side by side
  int in_socket = 0;         // on its socket
  int l3 = 0;                // which of the node's third-level caches; without them its NUMA node
  int numa = 0;              // the system's number
  int socket = 0;            // from 0 on
  std::vector<int> threads;  // those that may be used, ascending; none: the core may not be used
};

struct node_cores {
  std::vector<node_core> cores;
  int sockets = 1, numas = 1, l3s = 0;  // that have cores
  int threads = 0;                      // that may be used

  /// Those of a topology. `allowed`: the hardware threads that may be used.
  static node_cores of(hwloc_topology*, const std::vector<int>& allowed);
  /// With these hardware threads only. Requires: `threads` is in ascending order.
  [[nodiscard]] node_cores restricted_to(const std::vector<int>& threads) const;
  /// Indices of the cores that may be used.
  [[nodiscard]] std::vector<int> usable() const;
  /// Hardware threads that may be used, ascending.
  [[nodiscard]] std::vector<int> all_threads() const;
  /// "2 sockets, 4 NUMA nodes, 8 L3 caches, 32 cores, 64 hardware threads".
  [[nodiscard]] std::string text() const;
};

}  // namespace peal::launcher
