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

/// "pealsegh": another layout gets another number.
inline constexpr std::uint64_t segment_magic = 0x7065616c'73656768;

struct segment_header {
  std::uint64_t magic;
  std::uint64_t nonce;
  std::uint64_t count;  // processes of the node
  std::uint64_t front_bytes;
  std::uint64_t transport_bytes;
  std::uint64_t heap_bytes;
  std::uint64_t left;  // processes that take part no more
};

/// What each process writes down about itself, so that other processes can try whether they may
/// read its memory.
struct process_card {
  std::int64_t pid = 0;
  std::uint64_t id_space = 0;  // the inode of the namespace in which `pid` means it; 0: not known
  std::uint64_t nonce_address = 0;  // in the memory of `pid`...
  std::uint64_t nonce = 0;          // ...must stand this
};

/// The cards of all processes stand side by side behind the header. Every process reads all of
/// them when it starts, and would touch a page of each other process if they stood apart.
constexpr std::size_t card_offset(std::size_t index) noexcept {
  return cache_line + index * sizeof(process_card);
}
static_assert(sizeof(segment_header) <= cache_line);

/// Where a front begins in its page.
inline constexpr std::size_t front_lead = 4 * cache_line;

constexpr std::size_t front_stride(std::size_t front_bytes) noexcept {
  return (front_lead + front_bytes + page - 1) / page * page;
}
/// `count`: processes of the node. The cards end before the first front.
constexpr std::size_t front_offset(std::size_t index, std::size_t front_bytes,
                                   std::size_t count) noexcept {
  return (card_offset(count) + page - 1) / page * page + index * front_stride(front_bytes) +
         front_lead;
}

}  // namespace peal
