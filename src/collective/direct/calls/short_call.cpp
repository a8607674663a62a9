#include "collective/direct/calls/short_call.hpp"

#include <cstring>

namespace peal::direct {

using detail::collective;

/// Whether that rank has given what it should, in the same collective.
bool short_call::gave(int rank) noexcept {
  const std::uint64_t stamp = all_.stamp_of(rank);
  const bool same = flags::kind_in(stamp) == static_cast<std::uint32_t>(call_.kind);
  if (same && flags::bytes_in(stamp) == part_.each) [[likely]]
    return true;
  note(same && flags::bytes_in(stamp) > part_.each ? errc::truncated : errc::invalid_argument);
  return false;
}

void short_call::join(int ranks, std::size_t offset) {
  auto* const result = static_cast<std::byte*>(call_.receive);
  const bool joins_given = can_join_given(call_, call_.kind, part_, with_.builtin());
  // What is not `to` is read only.
  const auto operand = [&](int rank) {
    const void* const vector =
        rank == all_.rank() && joins_given ? part_.given : all_.payload_of(rank);
    return static_cast<std::byte*>(const_cast<void*>(vector)) + offset;
  };
  if (ranks == 1) {
    std::memcpy(result, operand(0), call_.bytes);
    return;
  }
  alignas(cache_line) std::byte rooms[most_rooms * area_bytes];
  join_in_order(call_.kind, ranks, operand, result, rooms, area_bytes,
                [&](std::byte* lower, std::byte* higher, std::byte* to) {
                  with_.apply(lower, higher, to, call_.bytes);
                });
}

void short_call::read() {
  if (call_.kind == collective::barrier) return;  // whatever the others have called
  for (int rank = part_.first; rank < part_.last; ++rank)
    if (rank != all_.rank() && !gave(rank)) return;
  read_part(
      call_, call_.kind, all_.rank(), all_.size(), [&](int from) { return all_.payload_of(from); },
      [&](int ranks, std::size_t offset) { join(ranks, offset); });
}

}  // namespace peal::direct
