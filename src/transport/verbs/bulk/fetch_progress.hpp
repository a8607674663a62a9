// transport/verbs/bulk/fetch_progress.hpp
// What is known of a fetch under way, kept in its scratch words. A fetch has shares that come in
// different ways at the same time; it is over when the last byte of the last share has come.
//
// Layer    transport/verbs.
// Units    bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "transport/contract.hpp"

namespace peal::verbs {

struct fetch_pieces;
struct registration;

struct fetch_progress {
  std::uint64_t missing = 0;  // of all shares
  // ---- the share that is read: fetcher.hpp
  std::uint64_t posted = 0;      // where in the payload the next part begins
  std::uint64_t end = 0;         // and where the last one ends
  std::uint64_t unread = 0;      // bytes of the share that have not come
  std::uint64_t part = 0;        // bytes at a time, whole pages
  registration* into = nullptr;  // null: piece by piece
  // Where the device writes: the receiver's memory, or ours for a fetch that lands nowhere. Null:
  // into the receiver's blocks.
  std::byte* target = nullptr;
  fetch_pieces* pieces = nullptr;  // null: both sides are one block, registered as a whole

  static fetch_progress& begin(fetch& f) noexcept {
    fetch_progress& made = *new (f.scratch.data()) fetch_progress;
    made.missing = f.bytes;
    return made;
  }
  static fetch_progress& of(fetch& f) noexcept {
    return *std::launder(static_cast<fetch_progress*>(static_cast<void*>(f.scratch.data())));
  }
};
static_assert(sizeof(fetch_progress) <= sizeof(fetch::scratch));

/// Puts bytes of a payload to their place.
inline void take(fetch& f, const std::byte* data, std::size_t at, std::size_t bytes) noexcept {
  if (f.absorb) f.absorb(f, data, at, bytes);
  else std::memcpy(static_cast<std::byte*>(f.into) + at, data, bytes);
}

/// So many more bytes are in their place. Ends the fetch with the last of them: it is the caller's
/// no more then.
inline void count(fetch& f, std::size_t bytes) noexcept {
  if ((fetch_progress::of(f).missing -= bytes) == 0) f.done(f, {});
}

}  // namespace peal::verbs
