// transport/shm/bulk/staging.hpp
// The rings of a process through which its payloads go to peers in pieces. A ring belongs to one
// peer at a time. It is filled round and round, from payload to payload, so a piece is written
// where one lay that was read long ago. A peer that reads nothing keeps its ring, so for each of
// the other peers there is a small one, which is slower.
//
// Why a ring is so large: what the receiver reads should have left the sender's second-level cache
// for the level that both share. Two copies of 1 MiB messages, two cores of an AMD EPYC 9004 with 1
// MiB each, GB/s: 512 KiB of ring 8–12, 1 MiB 26–31, 2 MiB 35–37, 4 MiB 35–39.
//
// Layer    transport/shm: may include memory/, base/.
// Units    bytes; positions in a ring run freely and are taken modulo its size.
// Threads  one.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/node_segment.hpp"

namespace peal::shm {

enum class pieces : std::uint8_t { usual, large, packed };

struct ring {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;  // a power of two
  std::uint32_t largest_piece = 0;
  std::uint64_t filled = 0;   // position behind what was written last
  std::uint64_t drained = 0;  // all before this has been read, and perhaps more
  std::uint64_t filler = 0;   // offset of the transfer whose pieces are being written; 0: none
  int peer = -1;
  std::uint32_t users = 0;  // transfers that have pieces in it, or may have
  bool committed = false;
  std::uint32_t touched = 0;  // from the start on; behind it no piece has been written yet

  /// Of pieces of a payload: large ones cost least each, but the receiver can begin only when the
  /// first is there.
  /// What is packed meanwhile takes longer than a copy, so that smaller ones cost less than that.
  [[nodiscard]] std::uint32_t piece_for(std::uint64_t payload,
                                        pieces of = pieces::usual) const noexcept;
};

class staging {
 public:
  explicit staging(node_segment&);

  /// The ring through which the next payload goes to that peer; null: none can be had, since
  /// /dev/shm or memory is full.
  [[nodiscard]] ring* of(int peer) noexcept;
  /// Before a piece of so many bytes is written: it has pages.
  void touch(ring&, std::uint32_t piece) noexcept;
  /// The ring with that offset.
  [[nodiscard]] ring& at(std::uint64_t offset) noexcept;
  void leave(ring&) noexcept;
  void peer_failed(int peer) noexcept;

 private:
  [[nodiscard]] bool take(ring&, int peer) noexcept;
  [[nodiscard]] bool make_small_ones() noexcept;

  node_segment* segment_;
  std::uint64_t small_rings_;  // offset
  std::vector<ring> rings_;    // those for any peer
  std::vector<ring> small_;    // one for each peer, by local index; empty before one is needed
};

}  // namespace peal::shm
