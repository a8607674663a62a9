// topology/rank_groups.hpp
// The ranks of a node as a tree of groups: those under one cache first, then those of a NUMA node
// (or the other way round, whichever is the wider one on this machine), those of a socket, then
// all. Every group has a leader, its lowest rank, and the leaders of some groups are the
// members of another one. So what goes from group to group is between leaders only.
//
// Where many ranks share a cache, or nothing is known of where they run, they are a list, which is
// cut into groups of neighbours.
//
// Layer    topology: may include base/.
// Units    ranks, from 0 on.
// Threads  constant once made.
// Errors   nothing throws but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace peal {

/// Where a rank runs. Numbers mean something within a node only.
struct rank_place {
  static constexpr std::uint16_t unknown = 0xffff;  // it may run in more than one
  std::uint16_t cache = unknown;
  std::uint16_t numa = unknown;  // the system's number
  std::uint16_t socket = unknown;
  friend bool operator==(const rank_place&, const rank_place&) = default;
};

class rank_groups {
 public:
  static constexpr std::size_t most_members = 16;

  struct group {
    std::vector<int> members;  // ascending; the first one leads
    /// What each member stands for: itself, and all ranks of the groups that it leads besides.
    std::vector<std::vector<int>> parts;
    int number = 0;  // how many groups the leader leads that are below this one
  };

  /// The same for all ranks that are told the same.
  explicit rank_groups(std::span<const rank_place> ranks, std::size_t most = most_members);

  /// A group comes behind those whose leaders are its members. The last one is the top of the tree.
  /// Empty where there is one rank.
  [[nodiscard]] const std::vector<group>& all() const noexcept { return groups_; }
  /// Whether joining group by group, from member to member, is joining from the lowest rank to the
  /// highest.
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }
  /// How many groups a rank leads at most.
  [[nodiscard]] int most_led() const noexcept;

  /// A list of so many where nothing is known: how many levels the tree has, and how many members a
  /// group at most.
  struct extent {
    std::size_t levels;
    std::size_t members;
  };
  [[nodiscard]] static extent of_list(std::size_t count, std::size_t most = most_members) noexcept;

 private:
  /// A rank, or a group that has one member more in another group.
  struct unit {
    int leader;
    std::vector<int> ranks;  // all of it, as they are joined
  };
  [[nodiscard]] unit join(std::vector<unit>);
  using level = std::uint16_t rank_place::*;
  [[nodiscard]] unit join_by(std::span<const level> levels, std::span<const rank_place>,
                             std::vector<unit>);

  std::size_t most_;
  std::vector<int> led_;  // groups, by rank
  std::vector<group> groups_;
  bool in_order_ = false;
};

}  // namespace peal
