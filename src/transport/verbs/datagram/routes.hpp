// transport/verbs/datagram/routes.hpp
// Ways to the ports of other nodes, as address handles of the device: one for each port, however
// many ranks are reached through it.
//
// Layer    transport/verbs.
// Threads  one at a time.
// Errors   null, and errno says why: the device has no more handles, or nobody answers there.
// Source   ibv_create_ah(3).
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

class routes {
 public:
  /// So many are remembered, at most.
  void remember(std::size_t most) noexcept { most_ = most; }

  /// The device looks at a way until the packet has left, so ways go only when none is under way.
  [[nodiscard]] ibv_ah* find(const device& from, const rail_address& to, bool none_under_way) {
    if (none_under_way) {
      old_.clear();
      if (known_.size() >= most_) known_.clear();
    }
    handle<ibv_ah, ibv_destroy_ah>& way = known_[place{to.gid, to.lid, asks_for_grh(to)}];
    if (!way) {
      ibv_ah_attr route = from.route_to(to);
      // For a network address the kernel looks for the neighbour in here, and waits for it.
      way.reset(ibv_create_ah(from.domain(), &route));
    }
    return way.get();
  }
  /// They may lead astray, since the own address has changed. Those under way are kept until they
  /// have left.
  void forget() noexcept {
    for (auto& [where, way] : known_) old_.push_back(std::move(way));
    known_.clear();
  }
  /// Requires: nothing is under way.
  void clear() noexcept {
    old_.clear();
    known_.clear();
  }

 private:
  /// All of a port's address that a way depends on.
  struct place {
    gid_bytes gid;
    std::uint16_t lid;
    bool grh;
    bool operator==(const place&) const = default;
  };
  struct place_hash {
    std::size_t operator()(const place& of) const noexcept {
      std::uint64_t words[2];
      std::memcpy(words, of.gid.data(), sizeof words);
      const std::uint64_t mixed = (words[0] ^ words[1] ^ of.lid) * 0x9e3779b97f4a7c15;
      return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }
  };
  static bool asks_for_grh(const rail_address& of) noexcept {
    return (of.flags & rail_address::needs_grh) != 0;
  }

  std::size_t most_ = 16;
  std::unordered_map<place, handle<ibv_ah, ibv_destroy_ah>, place_hash> known_;
  std::vector<handle<ibv_ah, ibv_destroy_ah>> old_;  // forgotten while packets were under way
};

}  // namespace peal::verbs
