// collective/call_key.hpp
// The part of a call that its schedule depends on.
//
// Layer    collective.
// Errors   none.
#pragma once

#include "collective/schedule_cache.hpp"
#include "peal/detail/core.hpp"

namespace peal {

using detail::collective_call;

inline bool has_varying_blocks(const collective_call& call) noexcept {
  return call.varying || call.send_bytes || call.send_offsets || call.receive_bytes ||
         call.receive_offsets;
}

inline bool works_in_place(const collective_call& call, int rank) noexcept {
  using detail::collective;
  switch (call.kind) {
    case collective::barrier:
    case collective::bcast:
    case collective::neighbor_allgather:
    case collective::neighbor_alltoall: return false;
    case collective::scatter: return call.in_place && rank == call.root;
    case collective::reduce:
    case collective::gather: return (call.in_place || !call.send) && rank == call.root;
    case collective::allreduce:
    case collective::allgather:
    case collective::alltoall:
    case collective::reduce_scatter:
    case collective::scan:
    case collective::exscan: return call.in_place || !call.send;
  }
  return false;
}

constexpr bool is_among_neighbors(detail::collective kind) noexcept {
  return kind == detail::collective::neighbor_allgather ||
         kind == detail::collective::neighbor_alltoall;
}

inline schedule_key key_of(const collective_call& call, int rank) noexcept {
  const bool reduces = detail::is_reduction(call.kind);
  return {.kind = call.kind,
          .in_place = works_in_place(call, rank),
          .commutative = reduces && (call.op.kind != detail::builtin::none || call.op.commutative),
          .root = call.root,
          .bytes = call.bytes,
          .element = reduces ? call.element_size : 1};
}

}  // namespace peal
