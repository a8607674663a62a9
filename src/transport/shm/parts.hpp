// transport/shm/parts.hpp
// Where in a process's transport part of the segment boxes, large parcels and rings lie. The part
// is address space: pages come when they are needed.
//
// Layer    transport/shm.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memory/node_segment.hpp"
#include "transport/shm/layout.hpp"

namespace peal::shm {

struct parts {
  /// Boxes that one process may have open. More partners than this share them: an idle box is
  /// closed for a busy pair.
  static constexpr std::uint32_t most_boxes = 64;
  /// Parcels that may be under way to one peer: more than the messages that go before a box is
  /// opened.
  static constexpr std::uint32_t parcels_per_peer = 16;

  /// For direct collectives. Since the processes give in turn, room for some 3,800 communicators of
  /// all ranks of the node.
  static constexpr std::size_t most_block_bytes = std::size_t{32} << 20;

  std::uint64_t boxes = 0;  // offset
  std::uint32_t box_count = 0;
  std::uint64_t large_parcels = 0;
  std::uint32_t large_parcel_count = 0;
  std::uint64_t transfers = 0;  // besides those in the front
  std::uint32_t transfer_count = 0;
  std::uint64_t rings = 0;
  std::uint64_t small_rings = 0;  // one for each process of the node
  std::uint64_t blocks = 0;       // of communicators: collective/direct/
  std::size_t bytes = 0;

  static constexpr parts at(std::uint64_t begin, int processes) noexcept {
    const auto peers = static_cast<std::uint32_t>(std::max(processes - 1, 0));
    const auto take = [next = begin](std::uint64_t size) mutable {
      const std::uint64_t start = next;
      next += (size + 4095) / 4096 * 4096;
      return start;
    };
    const auto steps = [](std::uint32_t count, std::uint32_t step) {
      return (count + step - 1) / step * step;
    };
    parts p;
    auto place = take;
    p.box_count = std::min(peers, most_boxes);
    p.large_parcel_count = steps(std::min(peers * parcels_per_peer, 1024u), large_parcel_step);
    p.boxes = place(p.box_count * sizeof(box));
    p.large_parcels = place(p.large_parcel_count * large_parcel);
    p.transfer_count = steps(peers * transfers_per_peer, transfer_step);
    p.transfers = place(p.transfer_count * sizeof(transfer));
    p.rings = place(peers == 0 ? 0 : std::size_t{staging_rings} * most_ring_bytes);
    p.small_rings = place(peers == 0 ? 0 : static_cast<std::size_t>(processes) * small_ring_bytes);
    p.blocks = place(peers == 0 ? 0 : most_block_bytes);
    p.bytes = place(0) - begin;
    return p;
  }
  /// Slices of the segment that a process has, for small parcels. All peers read these, so they do
  /// not stand in the part.
  static constexpr std::size_t slices(int processes) noexcept {
    const auto peers = static_cast<std::uint32_t>(std::max(processes - 1, 0));
    return (peers * parcels_per_peer + small_parcel_step - 1) / small_parcel_step;
  }
  static parts of(const node_segment& segment, int index) noexcept {
    return at(segment.transport_part(index).offset, segment.count());
  }
};

}  // namespace peal::shm
