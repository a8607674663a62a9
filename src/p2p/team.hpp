// p2p/team.hpp
// An ordered set of peers: what a communicator is to the layers below it.
//
// Layer    p2p: may include transport/, base/.
// Threads  immutable once built.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "transport/contract.hpp"

namespace peal {

class team {
 public:
  /// `context` belongs to the user's messages, `context + 1` to the collectives of the same team.
  /// `peers[rank]` is the rank's place in the world.
  team(std::uint32_t context, int rank, std::vector<peer_id> peers)
      : context_{context},
        rank_{rank},
        all_{std::make_shared<const std::vector<peer_id>>(std::move(peers))} {}
  /// The same peers in the same order; both teams share one list in memory.
  team(std::uint32_t context, const team& like)
      : context_{context}, rank_{like.rank_}, all_{like.all_} {}

  [[nodiscard]] std::uint32_t context() const noexcept { return context_; }
  [[nodiscard]] std::uint32_t collective_context() const noexcept { return context_ + 1; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] peer_id peer(int rank) const noexcept { return peers_[rank]; }
  [[nodiscard]] const std::vector<peer_id>& peers() const noexcept { return *all_; }

 private:
  std::uint32_t context_;
  int rank_;
  std::shared_ptr<const std::vector<peer_id>> all_;
  const peer_id* peers_ = all_->data();  // one load less for each message
  int size_ = static_cast<int>(all_->size());
};

}  // namespace peal
