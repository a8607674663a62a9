// collective/direct/slot.hpp
// What a communicator has in the node's segment for its direct collectives: a block with a slot for each rank, which it alone writes.
//
// An operation uses one line of a slot, the next one each time, round and round: a stamp, which says how far the rank has come, and up to
// 56 bytes of payload before it, so that one line that changes cores brings both. A longer payload lies in one of the slot's areas, and the
// stamp says in which.
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

/// How many operations a rank may be ahead of another, and one more. Two would do where everybody waits for everybody; a root that
/// broadcasts again and again gets so many ahead of those who listen.
inline constexpr std::uint32_t depth = 8;
inline constexpr std::size_t line_payload = 56;
inline constexpr std::uint32_t areas = 2;
inline constexpr std::size_t area_bytes = 4096;

/// stamp: number of the operation << 24 | what collective << 20 | where the payload lies << 16 | bytes of it. 0: no operation yet.
struct alignas(cache_line) line {
  std::byte payload[line_payload];
  std::atomic<std::uint64_t> stamp;
};
static_assert(sizeof(line) == cache_line && offsetof(line, stamp) == line_payload);

inline constexpr std::uint64_t one_operation = std::uint64_t{1} << 24;
inline constexpr unsigned kind_shift = 20;
inline constexpr unsigned place_shift = 16;
inline constexpr std::uint64_t bytes_mask = 0xffff;
static_assert(area_bytes <= bytes_mask);
enum payload_place : std::uint32_t { nowhere = 0, in_line = 1, in_area = 2 };  // in_area + n: in area n

struct slot {
  line lines[depth];
  alignas(cache_line) std::byte long_payloads[areas][area_bytes];
};

struct block {
  alignas(2 * cache_line) std::atomic<std::uint32_t> left;  // ranks that look at it no more
  alignas(2 * cache_line) slot first;                       // and as many more as there are ranks
};

inline slot* slots_of(block& of) noexcept { return reinterpret_cast<slot*>(reinterpret_cast<std::byte*>(&of) + offsetof(block, first)); }
constexpr std::size_t block_bytes(int ranks) noexcept { return offsetof(block, first) + static_cast<std::size_t>(ranks) * sizeof(slot); }

}  // namespace peal::direct
