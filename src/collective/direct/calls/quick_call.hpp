// collective/direct/calls/quick_call.hpp
// A short call in one go, as far as it comes while the other ranks are quick; what is left is done
// by a short_call. Operation by operation they are the same, so each rank may take what it likes.
//
// What a small call takes are its instructions, since every rank waits for what the slowest one
// does between two stamps. An allreduce of 8 bytes took about 700 of them as a short_call that
// waits as a source of progress, from the user's call and back, and takes about 430 this way, and
// 0.73 of the time (two cores of an EPYC of family 26). So nothing is an object here that could be
// a register, and each kind is compiled by itself.
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
#include "collective/kernels/reduction.hpp"
#include "peal/detail/core.hpp"

namespace peal::direct {

enum class quick_progress : std::uint8_t { begun, given, over };

/// How often a rank may look in vain, with a pause behind each. Where ranks share cores it looks
/// for none that has its own core, and to look for those of other cores is worth less than the time
/// of a switch to another process.
struct patience {
  int looks = 1;
  bool shares_core = false;
};

/// What a quick call gives is at most so long.
inline constexpr std::size_t most_quick = 512;

/// The vectors of more than two ranks.
template <class Payload>
[[gnu::noinline]] void join_quickly(detail::collective kind, int ranks, const Payload& payload,
                                    std::size_t offset, const detail::collective_call& call,
                                    kernel with, std::size_t count) {
  alignas(cache_line) std::byte rooms[most_rooms * most_quick];
  join_in_order(
      kind, ranks, [&](int from) { return payload(from) + offset; },
      static_cast<std::byte*>(call.receive), rooms, most_quick,
      [&](const std::byte* lower, const std::byte* higher, std::byte* to) {
        with(lower, higher, to, count);
      });
}

/// As quick_call, of one kind.
template <detail::collective Kind, class Given>
quick_progress quick_call_of(flags& all, const detail::collective_call& call, kernel with,
                             patience has, const Given& has_given) {
  constexpr auto kind = static_cast<std::uint32_t>(Kind);
  const int rank = all.rank(), size = all.size();
  const short_part mine = part_of(call, Kind, rank, size);
  all.next();
  for (int look = has.shares_core ? 1 : has.looks; !all.has_room(mine.bytes()); relax())
    if (--look == 0) return quick_progress::begun;
  all.stamp(kind, mine.given, mine.bytes());
  has_given();
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

  const auto payload = [&](int from) {
    return mine.each <= line_payload ? lines.of(from).payload : all.payload_of(from);
  };
  const auto join = [&](int ranks, std::size_t offset) __attribute__((always_inline)) {
    const std::size_t bytes = call.bytes, count = bytes >> std::countr_zero(call.element_size);
    if (ranks == 1) std::memcpy(call.receive, payload(0) + offset, bytes);
    else if (ranks == 2) with(payload(0) + offset, payload(1) + offset, call.receive, count);
    else join_quickly(Kind, ranks, payload, offset, call, with, count);
  };
  read_part(call, Kind, rank, size, payload, join);
  return quick_progress::over;
}

/// Begins the call. `with`: of a reduction, else null. `has_given` is called when this rank has
/// stamped the operation: what it does takes no time, since what was given is under way to the
/// other cores. Requires: fits(call, all.size()), at most `most_quick` bytes, and the last
/// operation of these flags is over.
template <class Given>
[[gnu::always_inline]] inline quick_progress quick_call(flags& all,
                                                        const detail::collective_call& call,
                                                        kernel with, patience has,
                                                        const Given& has_given) {
  using enum detail::collective;
  switch (call.kind) {
    case barrier: return quick_call_of<barrier>(all, call, with, has, has_given);
    case bcast: return quick_call_of<bcast>(all, call, with, has, has_given);
    case reduce: return quick_call_of<reduce>(all, call, with, has, has_given);
    case allreduce: return quick_call_of<allreduce>(all, call, with, has, has_given);
    case gather: return quick_call_of<gather>(all, call, with, has, has_given);
    case scatter: return quick_call_of<scatter>(all, call, with, has, has_given);
    case allgather: return quick_call_of<allgather>(all, call, with, has, has_given);
    case alltoall: return quick_call_of<alltoall>(all, call, with, has, has_given);
    case reduce_scatter: return quick_call_of<reduce_scatter>(all, call, with, has, has_given);
    case scan: return quick_call_of<scan>(all, call, with, has, has_given);
    case exscan: return quick_call_of<exscan>(all, call, with, has, has_given);
    case neighbor_allgather:
    case neighbor_alltoall: break;
  }
  return quick_progress::begun;
}

}  // namespace peal::direct
