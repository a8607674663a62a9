// p2p/team.hpp
// An ordered set of peers: what a communicator is to the layers below it.
//
// Layer    p2p: may include transport/, base/.
// Threads  immutable once built.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "transport/contract.hpp"

namespace peal {

class team {
 public:
  /// `context` belongs to the user's messages, `context + 1` to the collectives of the same team. `peers[rank]` is the rank's place in the
  /// world.
  team(std::uint32_t context, int rank, std::vector<peer_id> peers) : context_{context}, rank_{rank}, peers_{std::move(peers)} {}

  [[nodiscard]] std::uint32_t context() const noexcept { return context_; }
  [[nodiscard]] std::uint32_t collective_context() const noexcept { return context_ + 1; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(peers_.size()); }
  [[nodiscard]] peer_id peer(int rank) const noexcept { return peers_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const std::vector<peer_id>& peers() const noexcept { return peers_; }

 private:
  std::uint32_t context_;
  int rank_;
  std::vector<peer_id> peers_;
};

}  // namespace peal
