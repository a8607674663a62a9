// collective/direct/groups/group_flags.hpp
// One rank's ends of the groups of a communicator (topology/rank_groups.hpp), each with a block of
// flags of its own. The leader of a group gives the block, so that it lies near to those who use
// it.
//
// In the top group everybody may read what everybody gives. In any other one the members give to
// the leader, and the leader gives to the members: so a member looks at the leader's slot only, and
// wakes only the leader.
//
// Layer    collective/direct: may include p2p/, transport/, topology/, memory/, base/.
// Units    bytes; offsets count from the start of the node's segment.
// Threads  one.
// Errors   none: no room is offset 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "collective/direct/arena.hpp"
#include "collective/direct/flags.hpp"
#include "p2p/team.hpp"
#include "topology/rank_groups.hpp"
#include "transport/receiver.hpp"

namespace peal::direct {

/// A rank's end of one group.
struct group_end {
  std::vector<int> members;             // ranks of the communicator; the first one leads
  std::vector<std::int16_t> part_of;    // by rank: the member that stands for it; -1: none does
  std::vector<std::uint32_t> ranks_in;  // by member: how many it stands for
  int own = 0;                          // among the members
  bool top = false;
  int number = 0;  // of the leader's blocks
  flags all;
  std::vector<receiver> wakes;  // what this rank stamps is for them
  block* shared = nullptr;

  [[nodiscard]] bool leads() const noexcept { return own == 0; }
  /// Requires: `shared` is there.
  template <class ReceiverOf>
  void open(ReceiverOf&& receiver_of) {
    all = flags{*shared, own, static_cast<int>(members.size())};
    const bool to_leader = !leads() && !top;
    if (to_leader) all.to_one();
    for (int each = 0; each != (to_leader ? 1 : all.size()); ++each)
      if (each != own) wakes.push_back(receiver_of(members[static_cast<std::size_t>(each)]));
  }
};

class group_flags {
 public:
  /// `places`: by peer, alike on all members; empty: not known. `numas`: by rank, where memory may
  /// lie on several NUMA nodes.
  group_flags(std::span<const rank_place> places, const team& members,
              std::vector<std::uint16_t> numas = {});
  group_flags(const rank_groups&, int rank, int size, std::vector<std::uint16_t> numas = {});
  /// Whether joining by groups is joining in the order of ranks.
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }

  /// What each rank tells, rank by rank, of so many bytes each: the blocks of the groups that this
  /// rank leads are reserved, and their offsets are in its part. Where there was no room they are
  /// 0.
  [[nodiscard]] void* tell(arena&);
  [[nodiscard]] std::size_t told_bytes() const noexcept { return told_ * sizeof(std::uint64_t); }
  /// When all have told: whether every leader has given its blocks.
  [[nodiscard]] bool complete() const noexcept;
  /// Requires: complete. `receiver_of(rank)`: how a rank is woken.
  template <class ReceiverOf>
  void open(node_segment&, ReceiverOf&& receiver_of);
  /// Nobody has looked at the blocks that this rank took, and nobody will.
  void put_back(arena&) noexcept;
  /// This rank does not look at any block any more. Requires: it is open.
  void leave(arena&) noexcept;

  /// From the smallest group on. This rank leads all but the last one, and that one only if it is
  /// the top.
  [[nodiscard]] std::span<group_end> ends() noexcept { return ends_; }
  /// Where a call keeps what it has joined.
  [[nodiscard]] std::byte* sum(std::size_t which) noexcept { return sums_[which].bytes; }

 private:
  struct alignas(cache_line) vector {
    std::byte bytes[area_bytes];
  };
  [[nodiscard]] std::uint64_t said(int rank, int number) const noexcept {
    return said_[static_cast<std::size_t>(rank) * told_ + static_cast<std::size_t>(number)];
  }

  int rank_, size_;
  bool in_order_;
  std::vector<group_end> ends_;
  std::vector<std::pair<int, int>> leaders_;  // of all groups: rank, and number of its blocks
  std::size_t told_;                          // offsets, by each rank
  std::vector<std::uint16_t> numas_;          // until all have told
  std::vector<std::uint64_t> said_;
  std::vector<std::uint64_t> taken_;
  std::vector<vector> sums_;
};

template <class ReceiverOf>
void group_flags::open(node_segment& segment, ReceiverOf&& receiver_of) {
  for (group_end& each : ends_) {
    each.shared = segment.at<block>(said(each.members.front(), each.number));
    each.open(receiver_of);
  }
  said_ = {};
  numas_ = {};
}

}  // namespace peal::direct
