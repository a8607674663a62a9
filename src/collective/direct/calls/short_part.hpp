// collective/direct/calls/short_part.hpp
// What a rank does in a short call: what it gives, whose payloads it awaits, and what it makes of
// them. quick_call.hpp and short_call.hpp say when.
//
// A rank reads what it has given itself where the user gave it, as far as it can. Where the other
// ranks read it its lines have gone to their cores, and to have one back takes as long as to get
// one of theirs: every twelfth sample of a profile of 8 B allreduces was at the two loads of a sum
// (AMD EPYC 7003).
//
// Layer    collective/direct: may include collective/, base/.
// Units    bytes.
// Threads  none of its own.
// Errors   what `join` throws.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/copy.hpp"
#include "collective/kernels/join_order.hpp"
#include "peal/detail/core.hpp"

namespace peal::direct {

struct short_part {
  const void* given = nullptr;
  std::size_t each = 0;  // bytes, by every rank that gives something
  bool gives = true;
  int first = 0, last = 0;  // it awaits all ranks from the one to before the other, but itself

  [[nodiscard]] std::size_t bytes() const noexcept { return gives ? each : 0; }
};

inline bool is_in_place(const detail::collective_call& call) noexcept {
  return call.in_place || call.send == nullptr;
}

/// `kind`: the call's, here and below; a constant where the compiler is to leave out the others.
[[gnu::always_inline]] inline short_part part_of(const detail::collective_call& call,
                                                 detail::collective kind, int rank,
                                                 int size) noexcept {
  using detail::collective;
  const std::size_t whole = call.bytes * static_cast<std::size_t>(size);
  const bool is_root = rank == call.root;
  short_part made{
      .given = is_in_place(call) ? call.receive : call.send, .each = call.bytes, .last = size};
  switch (kind) {
    case collective::barrier:
    case collective::allreduce: break;
    case collective::bcast:
      made.given = call.receive;
      made.gives = is_root;
      made.first = call.root;
      made.last = is_root ? call.root : call.root + 1;
      break;
    case collective::reduce:
      // In place is the root's alone; the others may have no `receive`.
      if (!is_root) made.given = call.send, made.last = 0;
      break;
    case collective::gather:
      made.given = call.send;
      made.gives = !is_root;
      if (!is_root) made.last = 0;
      break;
    case collective::scatter:
      made.given = call.send;
      made.each = whole;
      made.gives = is_root;
      made.first = call.root;
      made.last = call.root + 1;
      break;
    case collective::allgather:
      if (is_in_place(call))
        made.given = static_cast<const std::byte*>(call.receive) +
                     static_cast<std::size_t>(rank) * call.bytes;
      break;
    case collective::alltoall:
    case collective::reduce_scatter: made.each = whole; break;
    case collective::scan:
    case collective::exscan: made.last = rank; break;
    default:  // neighbors do not fit; who is refused the call gives nothing, and awaits no rank
      made.gives = false;
      made.last = 0;
  }
  return made;
}

/// Whether a rank can join its own vector from where the user gave it. Not where the result is
/// written there before it is read, or where a user's function may write into what it is joined
/// with. `builtin`: there is a kernel.
[[gnu::always_inline]] inline bool can_join_given(const detail::collective_call& call,
                                                  detail::collective kind, const short_part& part,
                                                  bool builtin) noexcept {
  return part.given != call.receive || (builtin && !joins_left_to_right(kind));
}

/// Reads what was given. `payload(rank)`: where it lies. `join(ranks, offset)`: joins what is there
/// in the payloads of the first `ranks` ranks, at least one, into `receive`.
/// Requires: who is awaited has given, and so has this rank.
template <class Payload, class Join>
[[gnu::always_inline]] inline void read_part(const detail::collective_call& call,
                                             detail::collective kind, int rank, int size,
                                             const Payload& payload, const Join& join) {
  using detail::collective;
  auto* const receive = static_cast<std::byte*>(call.receive);
  const std::size_t bytes = call.bytes, own_offset = static_cast<std::size_t>(rank) * bytes;
  const bool is_root = rank == call.root;
  const auto copy = [&](int block, const void* from) __attribute__((always_inline)) {
    std::byte* const to = receive + static_cast<std::size_t>(block) * bytes;
    if (bytes <= short_copy) copy_short(to, from, bytes);
    else std::memcpy(to, from, bytes);
  };
  switch (kind) {
    case collective::bcast:
      if (!is_root) copy(0, payload(call.root));
      break;
    case collective::reduce:
      if (is_root) join(size, 0);
      break;
    case collective::allreduce: join(size, 0); break;
    case collective::gather:
      if (!is_root) break;
      [[fallthrough]];
    case collective::allgather:
      for (int from = 0; from != size; ++from) {
        if (from != rank) copy(from, payload(from));
        else if (!is_in_place(call)) copy(from, call.send);
      }
      break;
    case collective::scatter:
      if (!is_root || !is_in_place(call)) copy(0, payload(call.root) + own_offset);
      break;
    case collective::alltoall:
      for (int from = 0; from != size; ++from) {
        if (from != rank) copy(from, payload(from) + own_offset);
        else if (!is_in_place(call))
          copy(from, static_cast<const std::byte*>(call.send) + own_offset);
      }
      break;
    case collective::reduce_scatter: join(size, own_offset); break;
    case collective::scan: join(rank + 1, 0); break;
    case collective::exscan:
      if (rank != 0) join(rank, 0);
      break;
    default: break;
  }
}

}  // namespace peal::direct
