// collective/direct/calls/quick_call.hpp
// A short call in one go, as far as it comes while the other ranks are quick; what is left is done
// by a short_call. Operation by operation they are the same, so each rank may take what it likes.
//
// What a small call takes are its instructions, since every rank waits for what the slowest one
// does between two stamps. An allreduce of 8 bytes took about 700 of them as a short_call that
// waits as a source of progress, from the user's call and back, and 430 when this was written,
// which took 0.73 of the time (two cores of an EPYC of family 26). So nothing is an object here
// that could be a register, and each kind is compiled by itself.
//
// Layer    collective/direct: may include collective/, base/.
// Units    bytes.
// Threads  one.
// Errors   none: where a rank has called something else it leaves that to short_call.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/cache_line.hpp"
#include "collective/direct/calls/short_part.hpp"
#include "collective/direct/flags.hpp"
#include "collective/kernels/join_order.hpp"
#include "collective/kernels/kernels.hpp"
#include "peal/detail/core.hpp"

namespace peal::direct {

/// none: nothing has happened, it is no call for this file.
enum class quick_progress : std::uint8_t { none, begun, given, over };

/// How often a rank may look in vain, with a pause behind each. Where ranks share cores it looks
/// for none that has its own core, and to look for those of other cores is worth less than the time
/// of a switch to another process.
struct patience {
  int looks = 1;
  bool shares_core = false;
};

/// What a quick call gives is at most so long.
inline constexpr std::size_t most_quick = 2048;

/// Whether the call, which is of that kind, can be made in one go: it fits, and no user's function
/// is in it. Of a reduction, sets `with`. What is refused to this rank is no quick call either.
template <detail::collective Kind>
[[gnu::always_inline]] inline bool is_quick(const detail::collective_call& call, int size,
                                            kernel& with) noexcept {
  using enum detail::collective;
  if (static_cast<unsigned>(call.root) >= static_cast<unsigned>(size)) return false;
  if constexpr (Kind == barrier) return true;
  constexpr bool has_blocks = Kind == gather || Kind == scatter || Kind == allgather ||
                              Kind == alltoall || Kind == reduce_scatter;
  constexpr bool gives_all = Kind == scatter || Kind == alltoall || Kind == reduce_scatter;
  if (call.bytes - 1 >= most_quick) return false;  // empty ones wrap
  if constexpr (has_blocks)
    if (call.varying || call.send_bytes || call.send_offsets || call.receive_bytes ||
        call.receive_offsets)
      return false;
  if constexpr (gives_all)
    if (call.bytes * static_cast<std::size_t>(size) > area_bytes) return false;
  if constexpr (detail::is_reduction(Kind)) {
    // A part of an element is refused; one of no bytes fails the second question.
    if ((call.element_size & (call.element_size - 1)) != 0 ||
        (call.bytes & (call.element_size - 1)) != 0 || call.op.kind == detail::builtin::none)
      return false;
    with = find_kernel(call.type, call.op.kind);
    return with != nullptr;
  }
  return true;
}

/// The vectors of more than two ranks.
template <class Operand>
[[gnu::noinline]] void join_quickly(detail::collective kind, int ranks, const Operand& operand,
                                    std::size_t offset, const detail::collective_call& call,
                                    kernel with, std::size_t count) {
  alignas(cache_line) std::byte rooms[most_rooms * most_quick];
  join_in_order(
      kind, ranks, [&](int from) { return operand(from) + offset; },
      static_cast<std::byte*>(call.receive), rooms, most_quick,
      [&](const std::byte* lower, const std::byte* higher, std::byte* to) {
        with(lower, higher, to, count);
      });
}

/// Waits until there is room for what the rank gives.
[[gnu::noinline]] inline bool await_room(flags& all, std::size_t bytes, patience has) noexcept {
  for (int look = has.shares_core ? 1 : has.looks; !all.has_room(bytes); relax())
    if (--look == 0) return false;
  return true;
}

/// Makes the call, which is of that kind, as far as it comes. `by.has_given()` is called when this
/// rank has stamped the operation: what it does takes no time, since what was given is under way to
/// the other cores. `by.has_patience()`: how long to look. Requires: the last operation of these
/// flags is over.
template <detail::collective Kind, class Caller>
[[gnu::always_inline]] inline quick_progress quick_call(flags& all,
                                                        const detail::collective_call& call,
                                                        Caller& by) {
  kernel with = nullptr;
  if (!is_quick<Kind>(call, all.size(), with)) return quick_progress::none;
  constexpr auto kind = static_cast<std::uint32_t>(Kind);
  const int rank = all.rank(), size = all.size();
  const short_part mine = part_of(call, Kind, rank, size);
  all.next();
  if (!all.has_room(mine.bytes()) && !await_room(all, mine.bytes(), by.has_patience()))
    return quick_progress::begun;
  all.stamp(kind, mine.given, mine.bytes());
  by.has_given();
  const patience has = by.has_patience();
  const std::uint32_t core = has.shares_core ? all.note_core() : 0;
  const flags::lines lines = all.lines_now();
  const std::uint64_t expected = all.stamp_without_place(kind, mine.each);
  for (int other = mine.first, look = has.looks; other < mine.last; ++other) {
    if (other == rank) continue;
    for (const auto& theirs = lines.of(other).stamp;; relax()) {
      const std::uint64_t stamp = theirs.load(std::memory_order_acquire);
      if (flags::without_place(stamp) == expected) break;
      if (!flags::is_before(stamp, expected) || --look == 0) return quick_progress::given;
      if (has.shares_core && all.misses_some_on(core)) return quick_progress::given;
    }
  }
  if (mine.first == 0 && mine.last == size) all.all_came();

  const auto read = [&](const auto& payload) __attribute__((always_inline)) {
    const auto operand = [&](int from) __attribute__((always_inline)) {
      return from == rank && can_join_given(call, Kind, mine, true)
                 ? static_cast<const std::byte*>(mine.given)
                 : payload(from);
    };
    const auto join = [&](int ranks, std::size_t offset) __attribute__((always_inline)) {
      const std::size_t bytes = call.bytes, count = bytes >> std::countr_zero(call.element_size);
      if (ranks == 1) std::memcpy(call.receive, operand(0) + offset, bytes);
      else if (ranks == 2) with(operand(0) + offset, operand(1) + offset, call.receive, count);
      else join_quickly(Kind, ranks, operand, offset, call, with, count);
    };
    read_part(call, Kind, rank, size, payload, join);
  };
  if (mine.each <= line_payload)
    read([lines](int from) __attribute__((always_inline)) { return lines.of(from).payload; });
  else read([&all](int from) { return all.payload_of(from); });
  return quick_progress::over;
}

/// What `make` returns of the kind, which it is given as its template argument.
template <class Make>
[[gnu::always_inline]] inline quick_progress of_kind(detail::collective kind, const Make& make) {
  using enum detail::collective;
  switch (kind) {
    case barrier: return make.template operator()<barrier>();
    case bcast: return make.template operator()<bcast>();
    case reduce: return make.template operator()<reduce>();
    case allreduce: return make.template operator()<allreduce>();
    case gather: return make.template operator()<gather>();
    case scatter: return make.template operator()<scatter>();
    case allgather: return make.template operator()<allgather>();
    case alltoall: return make.template operator()<alltoall>();
    case reduce_scatter: return make.template operator()<reduce_scatter>();
    case scan: return make.template operator()<scan>();
    case exscan: return make.template operator()<exscan>();
    case neighbor_allgather:
    case neighbor_alltoall: break;
  }
  return quick_progress::none;
}

}  // namespace peal::direct
