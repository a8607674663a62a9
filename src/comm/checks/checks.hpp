// comm/checks/checks.hpp
// The checks of what a user passes: ranks, tags, roots. In the usual case a check is a comparison
// or two; the texts of errors are made out of line.
//
// Layer    comm.
// Errors   peal::error with the caller's place.
#pragma once

#include "comm/communicator_state.hpp"
#include "peal/detail/core.hpp"

namespace peal {

[[noreturn]] void refuse_rank(const team&, const char* role, int rank, bool any,
                              const detail::location&);
[[noreturn]] void refuse_tag(int tag, bool any, const detail::location&);
/// Where tags are named.
[[noreturn]] void refuse_any_tag(const detail::location&);
[[noreturn]] void refuse_root(const team&, int root, const detail::location&);

inline void check_dest(const team& in, int dest, const detail::location& where) {
  if (static_cast<unsigned>(dest) >= static_cast<unsigned>(in.size()) &&
      dest != detail::proc_null_value) [[unlikely]]
    refuse_rank(in, "destination", dest, false, where);
}

inline void check_source(const team& in, int source, const detail::location& where) {
  if (static_cast<unsigned>(source) >= static_cast<unsigned>(in.size()) &&
      source != detail::any_source_value && source != detail::proc_null_value) [[unlikely]]
    refuse_rank(in, "source", source, true, where);
}

inline void check_send_tag(int tag, const detail::location& where) {
  if (tag < 0) [[unlikely]]
    refuse_tag(tag, false, where);
}

inline void check_recv_tag(const detail::communicator_state& in, int tag,
                           const detail::location& where) {
  if (tag >= 0) [[likely]]
    return;
  if (tag != detail::any_tag_value) refuse_tag(tag, true, where);
  if (in.tags_named) refuse_any_tag(where);
}

/// Whether these checks pass, and the rank is not proc_null.
inline bool may_send(const team& in, int dest, int tag) noexcept {
  return static_cast<unsigned>(dest) < static_cast<unsigned>(in.size()) && tag >= 0;
}
inline bool may_receive_exactly(const team& in, int source, int tag) noexcept {
  return may_send(in, source, tag);  // without wildcards the same holds
}
inline bool may_receive(const detail::communicator_state& in, int source, int tag) noexcept {
  return (static_cast<unsigned>(source) < static_cast<unsigned>(in.size()) ||
          source == detail::any_source_value) &&
         (tag >= 0 || (tag == detail::any_tag_value && !in.tags_named));
}

inline void check_root(const team& in, int root, const detail::location& where) {
  if (static_cast<unsigned>(root) >= static_cast<unsigned>(in.size())) [[unlikely]]
    refuse_root(in, root, where);
}

/// Throws what became of an operation whose caller has nowhere else to put it. `peer`: the other
/// side, -1 where there is none.
[[noreturn]] void throw_failure(std::error_code, const char* what, int peer,
                                const detail::location&);
/// Of a collective in which that rank takes no part.
[[noreturn]] void throw_absent(const char* what, int rank, const detail::location&);

/// Of a power of two, which most are, without a division.
inline bool is_multiple(std::size_t bytes, std::size_t of) noexcept {
  return (of & (of - 1)) == 0 ? (bytes & (of - 1)) == 0 : bytes % of == 0;
}
/// Whether the check below passes.
inline bool is_right(const team& in, const detail::collective_call& call) noexcept {
  return static_cast<unsigned>(call.root) < static_cast<unsigned>(in.size()) &&
         call.element_size != 0 &&
         !(is_reduction(call.kind) && !is_multiple(call.bytes, call.element_size));
}
inline void check_collective(const team& in, const detail::collective_call& call,
                             const detail::location& where) {
  check_root(in, call.root, where);
  if (!is_right(in, call)) [[unlikely]]
    throw_failure(errc::invalid_argument, "a reduction of a part of an element", -1, where);
}

}  // namespace peal
