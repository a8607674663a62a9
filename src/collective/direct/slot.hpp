// collective/direct/slot.hpp
// What a communicator has in the node's segment for its direct collectives: a block with one slot
// for each rank, which that rank alone writes.
//
// An operation uses one line of a slot, the next line each time, and after the last one the first
// again. A line holds a stamp, which says how far the rank has come, and before it up to 56 bytes
// of payload: so one line that moves between cores brings both. A longer payload lies in one of the
// slot's areas, and the stamp says in which. A communicator has a block with small areas, for calls
// that fit into one of them. From the first longer call on it has another block with large areas,
// through which such a call goes piece by piece.
//
// Layer    collective/direct: may include base/.
// Units    bytes.
// Threads  shared between processes: stamps are atomic, and order what lies beside them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"

namespace peal::direct {

/// How many operations a rank may be ahead of another, and one more. Two would do where all ranks
/// wait for all; a root that broadcasts again and again gets so many ahead of the ranks that
/// receive.
inline constexpr std::uint32_t depth = 8;
inline constexpr std::size_t line_payload = 56;
inline constexpr std::uint32_t areas = 2;
inline constexpr std::size_t area_bytes = 4096;
/// Of a large area: a piece of a vector, short enough to stay in the caches, and a part of a piece
/// that was joined.
inline constexpr std::size_t piece_bytes = std::size_t{64} << 10;
inline constexpr std::size_t part_bytes = std::size_t{28} << 10;
inline constexpr std::size_t long_area_bytes = piece_bytes + part_bytes;

/// stamp: number of the operation << 28 | what collective << 24 | where the payload lies << 20 |
/// bytes of it. 0: no operation yet.
struct alignas(cache_line) line {
  std::byte payload[line_payload];
  std::atomic<std::uint64_t> stamp;
};
static_assert(sizeof(line) == cache_line && offsetof(line, stamp) == line_payload);

inline constexpr std::uint64_t one_operation = std::uint64_t{1} << 28;
inline constexpr unsigned kind_shift = 24;
inline constexpr unsigned place_shift = 20;
inline constexpr std::uint64_t bytes_mask = 0xfffff;
static_assert(area_bytes <= bytes_mask);
/// in_area + n: in area n. elsewhere: where it is the user's, and the line says where. spoilt is a
/// bit more.
enum payload_place : std::uint32_t {
  nowhere = 0,
  in_line = 1,
  in_area = 2,
  elsewhere = in_area + areas,
  spoilt = 8
};
static_assert(elsewhere < spoilt);

struct slot {
  line lines[depth];
  /// Where ranks share cores: 1 more than the hardware thread on which the rank has last been seen
  /// to run; 0: it was not. On a line of its own, which is written when that changes only.
  alignas(cache_line) std::atomic<std::uint32_t> ran_on;
  // and the areas behind it
};
static_assert(offsetof(slot, lines) == 0);

struct block {
  alignas(2 * cache_line) std::atomic<std::uint32_t> left;  // ranks that look at it no more
  alignas(2 * cache_line) slot first;                       // and as many more as there are ranks
};

constexpr std::size_t slot_bytes(std::size_t area) noexcept { return sizeof(slot) + areas * area; }
inline slot& slot_of(block& of, int rank, std::size_t area) noexcept {
  auto* const first = reinterpret_cast<std::byte*>(&of) + offsetof(block, first);
  return *reinterpret_cast<slot*>(first + static_cast<std::size_t>(rank) * slot_bytes(area));
}
constexpr std::size_t block_bytes(int ranks, std::size_t area) noexcept {
  return offsetof(block, first) + static_cast<std::size_t>(ranks) * slot_bytes(area);
}

}  // namespace peal::direct
