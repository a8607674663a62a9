// memory/segment_layout.hpp
// How the node's segment begins, and where its fronts lie: for the processes that share it, and for
// peal-info, which looks into that of a running job.
//
// Layer    memory: may include base/.
// Units    bytes; offsets count from the start of the segment.
// Threads  constant once the segment is made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/page.hpp"

namespace peal {

/// "pealsegf": another layout gets another number.
inline constexpr std::uint64_t segment_magic = 0x7065616c'73656767;

struct segment_header {
  std::uint64_t magic;
  std::uint64_t nonce;
  std::uint64_t count;  // processes of the node
  std::uint64_t front_bytes;
  std::uint64_t transport_bytes;
  std::uint64_t heap_bytes;
};

/// What each process writes down about itself, so that other processes can try whether they may
/// read its memory. It stands before its front.
struct process_card {
  std::int64_t pid = 0;
  std::uint64_t id_space = 0;  // the inode of the namespace in which `pid` means it; 0: not known
  std::uint64_t nonce_address = 0;  // in the memory of `pid`...
  std::uint64_t nonce = 0;          // ...must stand this
};

/// Before each front, which is aligned as far.
inline constexpr std::size_t card_bytes = 4 * cache_line;

constexpr std::size_t front_stride(std::size_t front_bytes) noexcept {
  return (card_bytes + front_bytes + page - 1) / page * page;
}
constexpr std::size_t card_offset(std::size_t index, std::size_t front_bytes) noexcept {
  return page + index * front_stride(front_bytes);
}
constexpr std::size_t front_offset(std::size_t index, std::size_t front_bytes) noexcept {
  return card_offset(index, front_bytes) + card_bytes;
}

}  // namespace peal
