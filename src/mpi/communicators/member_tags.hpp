// mpi/communicators/member_tags.hpp
// The tags by which the core tells apart what several threads make at the same time, for
// detail::form and detail::exchange_apart.
//
// Layer    mpi/communicators.
// Threads  any.
// Errors   none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "mpi/groups/group.hpp"

namespace peal::mpi {

// Zero, any_tag and what else is near to zero below it are not to be used.
inline constexpr int least = std::numeric_limits<int>::min(),
                     most = std::numeric_limits<int>::max();

/// Of MPI_Comm_create_group: a number for each tag of the program.
[[nodiscard]] constexpr int tag_of_members(int tag) noexcept {
  return tag == most ? least : tag + 1;
}
/// Of the leaders of MPI_Intercomm_create: all but a few tags have a number of their own.
[[nodiscard]] constexpr int tag_of_leaders(int tag) noexcept {
  return least + 1 + std::min(tag, most - 4);
}
/// Of what is told apart by a string and a group. Two such may have the same number, but there are
/// two thousand million of them.
[[nodiscard]] inline int tag_of_text(std::string_view text, const group& members) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x0000'0100'0000'01b3; };
  for (const char each : text) add(static_cast<unsigned char>(each));
  for (const int each : members.world_ranks()) add(256 + static_cast<std::uint64_t>(each));
  hash ^= hash >> 32;
  return tag_of_leaders(static_cast<int>(hash & static_cast<std::uint64_t>(most)));
}

}  // namespace peal::mpi
