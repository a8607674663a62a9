// topology/distances.hpp
// What lies between two cores of a node: a cache that both share, a NUMA node, a socket, or more.
// The launcher reads it from hwloc's tree once and hands it to the ranks as a short text, since
// loading hwloc takes a rank milliseconds.
//
// Layer    topology: may include base/.
// Units    hardware threads, by the system's numbers.
// Threads  constant once made.
// Errors   a text that is none gives one flat group; nothing throws but std::bad_alloc.
// Source   hwloc 2 reference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topology/core_sharing.hpp"
#include "topology/rank_groups.hpp"

struct hwloc_topology;

namespace peal {

enum class span : std::uint8_t {
  cache,   // they share the last cache and the NUMA node, or nothing is known
  numa,    // one of the two: a NUMA node may have several caches, and a cache several NUMA nodes
  socket,  // one socket
  machine
};
inline constexpr std::size_t spans = 4;

class distances {
 public:
  /// One flat group: nothing is known.
  distances() = default;
  /// Those of the topology: of the third-level caches, or the second-level ones where there are
  /// none, of the NUMA nodes and of the packages.
  explicit distances(hwloc_topology*);
  /// What `text` gave.
  explicit distances(std::string_view text);

  /// The groups that share a cache, then after a bar the NUMA nodes in the order of the system's
  /// numbers, and the sockets: "0-3;4-7|0-7|0-7". A node without cores is an empty group.
  [[nodiscard]] std::string text() const;
  /// A number below 0 is a hardware thread that is not known.
  [[nodiscard]] span between(int one, int other) const noexcept {
    if (group_of(caches_, one) == no_group || group_of(caches_, other) == no_group)
      return span::cache;
    const auto share = [&](const groups& of) { return group_of(of, one) == group_of(of, other); };
    // First the sockets: many virtual machines show one NUMA node for all of them.
    if (!share(sockets_)) return span::machine;
    const bool one_cache = share(caches_), one_numa = share(numas_);
    if (one_cache && one_numa) return span::cache;
    return one_cache || one_numa ? span::numa : span::socket;
  }
  /// Whether memory may lie near to some cores and far from others.
  [[nodiscard]] bool several_numas() const noexcept;
  /// Of a rank that may use these hardware threads.
  [[nodiscard]] rank_place place_of(const cpu_mask&) const noexcept;

 private:
  using groups = std::vector<std::uint16_t>;  // by hardware thread
  static constexpr std::uint16_t no_group = 0xffff;

  static std::uint16_t group_of(const groups& of, int thread) noexcept {
    const auto at = static_cast<std::size_t>(thread);
    return thread >= 0 && at < of.size() ? of[at] : no_group;
  }
  static std::string text_of(const groups&);
  static bool read(std::string_view text, groups&);

  groups caches_;
  groups numas_;  // numbered as the system does
  groups sockets_;
};

}  // namespace peal
