// collective/direct/block_pages.hpp
// On which NUMA node each page of a block lies: on that of the rank whose slot it holds, which
// writes it. A rank stores each operation there, and while the others read it the line is in a
// cache.
//
// Slots are not padded to pages. A page that two slots share is the second one's, of which it holds
// the lines. The first one's end, a part of an area, is for long payloads only.
//
// Layer    collective/direct: may include memory/, base/.
// Units    bytes; offsets count from the start of the segment.
// Threads  any.
// Errors   nothing throws but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/page.hpp"
#include "collective/direct/slot.hpp"
#include "memory/preferred_numa.hpp"
#include "topology/rank_groups.hpp"

namespace peal::direct {

struct placed_pages {
  std::size_t begin;
  std::size_t end;
  int numa;
  friend bool operator==(const placed_pages&, const placed_pages&) = default;
};

/// Of a block that begins at `offset`, with areas of so many bytes; `numas`: the node of each rank,
/// or rank_place::unknown. From the first page of the block to the last one.
inline std::vector<placed_pages> pages_of_block(std::size_t offset, std::size_t area,
                                                std::span<const std::uint16_t> numas) {
  std::vector<placed_pages> made;
  const auto floor = [](std::size_t at) { return at / page * page; };
  for (std::size_t rank = 0; rank != numas.size(); ++rank) {
    const std::size_t slot = offset + offsetof(block, first) + rank * slot_bytes(area),
                      begin = floor(rank == 0 ? offset : slot),
                      end = rank + 1 == numas.size() ? round_up(slot + slot_bytes(area), page)
                                                     : floor(slot + slot_bytes(area));
    const int numa =
        numas[rank] == rank_place::unknown ? preferred_numa::nearest : int{numas[rank]};
    if (!made.empty() && made.back().numa == numa) made.back().end = end;
    else made.push_back({begin, end, numa});
  }
  return made;
}

}  // namespace peal::direct
