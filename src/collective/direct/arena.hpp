// collective/direct/arena.hpp
// The blocks that this process gives to communicators. They lie in a range of its part of the
// node's segment, which is reserved as it fills. When the range is full it stays full: a
// communicator that finds no room does without a block.
//
// A block comes back when every rank of the communicator has written into it that it does not look
// at it any more. This process is not told so; it looks before it reserves more. A block that a
// dead rank held never comes back.
//
// Layer    collective/direct: may include memory/, base/.
// Units    bytes; offsets count from the start of the segment.
// Threads  one.
// Errors   none: no room is said by the return value, and once in the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collective/direct/slot.hpp"
#include "memory/node_segment.hpp"
#include "memory/preferred_numa.hpp"

namespace peal::direct {

class arena {
 public:
  /// [begin, begin + bytes) of the segment is this process's and has not been used; `begin` is a
  /// multiple of a page.
  arena(node_segment&, std::size_t begin, std::size_t bytes) noexcept;

  /// The offset of a block for so many ranks, all of it that is looked at before it is written 0; 0
  /// when there is no room. `area`: bytes of one. Blocks with large areas take half of the room at
  /// most. `numas`: the NUMA node of each rank, where there are several; memory that is reserved
  /// for the block comes from there. What an earlier block has reserved stays where it is.
  [[nodiscard]] std::size_t take(int ranks, std::size_t area = area_bytes,
                                 std::span<const std::uint16_t> numas = {});
  /// No other rank has seen the block.
  void put_back(std::size_t offset) noexcept;
  /// This rank does not look any more at a block of its own; other ranks may.
  void leave_to_others(std::size_t offset) noexcept;

  /// Blocks that are taken, with those that other ranks still look at.
  [[nodiscard]] std::size_t in_use() const noexcept { return taken_.size(); }

 private:
  struct range {
    std::size_t offset;
    std::size_t bytes;
  };
  struct held {
    range place;
    int ranks;
    bool large;
    bool left = false;  // by this rank
  };

  [[nodiscard]] std::size_t in_large_blocks() const noexcept;
  [[nodiscard]] std::size_t cut(std::size_t bytes) noexcept;
  [[nodiscard]] bool reserve(std::size_t upto, int numa = preferred_numa::nearest) noexcept;
  void collect() noexcept;
  void free(range) noexcept;

  node_segment* segment_;
  std::size_t reserved_;  // up to here
  std::size_t end_;
  std::size_t most_for_large_;
  bool refused_ = false;
  std::vector<range> free_;  // by offset, no two adjacent
  std::vector<held> taken_;
};

}  // namespace peal::direct
