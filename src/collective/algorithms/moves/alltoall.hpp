// collective/algorithms/moves/alltoall.hpp
// What the alltoall algorithms share: where a block goes out from. In place it would be overwritten
// before it is sent, so all of them are copied to scratch first.
//
// Layer    collective.
#pragma once

#include <vector>

#include "collective/algorithms.hpp"

namespace peal::algorithms {

class outgoing_blocks {
 public:
  /// Adds the round that copies the blocks to scratch, if the call is in place.
  outgoing_blocks(const problem& p, schedule& s) : problem_{p} {
    if (!p.in_place) return;
    std::size_t offset = 0;
    for (int rank = 0; rank < p.size; ++rank) {
      offsets_.push_back(offset);
      if (rank != p.rank)
        s.copy(p.receive.of(place::receive, rank), {place::scratch, offset, p.receive.bytes(rank)});
      offset += p.receive.bytes(rank);
    }
    s.need_scratch(offset);
    s.end_round();
  }

  [[nodiscard]] slice to(int rank) const {
    if (!problem_.in_place) return problem_.send.of(place::send, rank);
    return {place::scratch, offsets_[static_cast<std::size_t>(rank)], problem_.receive.bytes(rank)};
  }
  [[nodiscard]] slice from(int rank) const { return problem_.receive.of(place::receive, rank); }
  /// This rank's block for itself.
  void keep(schedule& s) const {
    if (!problem_.in_place) s.copy(to(problem_.rank), from(problem_.rank));
  }

 private:
  const problem& problem_;
  std::vector<std::size_t> offsets_;
};

}  // namespace peal::algorithms
