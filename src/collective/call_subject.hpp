// collective/call_subject.hpp
// A collective that a rank waits in, in the words of state/.
//
// Layer    collective: may include p2p/, state/.
// Threads  values.
// Errors   none.
#pragma once

#include "p2p/team.hpp"
#include "peal/detail/core.hpp"
#include "state/wait_subject.hpp"

namespace peal {

/// Whether one rank gives to, or takes from, all.
constexpr bool has_root(detail::collective kind) noexcept {
  using detail::collective;
  return kind == collective::bcast || kind == collective::reduce || kind == collective::gather ||
         kind == collective::scatter;
}

/// Bytes that may differ between ranks are not told, since they are compared.
inline state::wait_subject subject_of(const detail::collective_call& call,
                                      const team& among) noexcept {
  return {.kind = state::wait_kind::collective,
          .members = &among,
          .bytes = call.varying ? state::unknown_bytes : call.bytes,
          .collective = static_cast<std::int32_t>(call.kind),
          .root = has_root(call.kind) ? call.root : state::nobody};
}

}  // namespace peal
