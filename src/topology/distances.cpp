#include "topology/distances.hpp"

#include <hwloc.h>

#include <algorithm>
#include <charconv>

namespace peal {
namespace {

/// As many as Linux knows at most: a text may say anything.
constexpr unsigned most_threads = 8192, most_numas = 1024;
static_assert(most_threads < rank_place::unknown);

void put(std::vector<std::uint16_t>& groups, unsigned thread, std::uint16_t group,
         std::uint16_t none) {
  if (thread >= groups.size()) groups.resize(thread + std::size_t{1}, none);
  groups[thread] = group;
}

}  // namespace

distances::distances(hwloc_topology* topology) {
  const auto put_all = [](hwloc_obj_t of, std::uint16_t number, groups& into) {
    for (int at = -1; (at = hwloc_bitmap_next(of->cpuset, at)) >= 0;)
      if (group_of(into, at) == no_group) put(into, static_cast<unsigned>(at), number, no_group);
  };
  const auto gather = [&](hwloc_obj_type_t type, groups& into) {
    std::uint16_t number = 0;
    for (hwloc_obj_t each = nullptr;
         (each = hwloc_get_next_obj_by_type(topology, type, each)) != nullptr; ++number)
      put_all(each, number, into);
  };
  gather(HWLOC_OBJ_PACKAGE, sockets_);
  // Without any cache a core shares with itself only.
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE})
    if (caches_.empty()) gather(type, caches_);
  // Of two nodes beside the same cores, such as ordinary and fast memory, the first one counts.
  for (hwloc_obj_t each = nullptr;
       (each = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, each)) != nullptr;)
    if (each->os_index < most_numas)
      put_all(each, static_cast<std::uint16_t>(each->os_index), numas_);
  // Where cores are all that is known, as in some virtual machines, they say nothing.
  if (sockets_.empty() && !several_numas() &&
      hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE) <= 0 &&
      hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L2CACHE) <= 0)
    *this = {};
}

distances::distances(std::string_view text) {
  const std::size_t first = text.find('|'), second = text.find('|', first + 1);
  if (second != std::string_view::npos && read(text.substr(0, first), caches_) &&
      read(text.substr(first + 1, second - first - 1), numas_) &&
      read(text.substr(second + 1), sockets_))
    return;
  *this = {};
}

bool distances::several_numas() const noexcept {
  std::uint16_t found = no_group;
  for (const std::uint16_t each : numas_) {
    if (each == no_group) continue;
    if (found != no_group && found != each) return true;
    found = each;
  }
  return false;
}

rank_place distances::place_of(const cpu_mask& mask) const noexcept {
  const auto common = [&](const groups& of) {
    std::uint16_t found = no_group;
    for (std::size_t thread = 0; thread != mask.words.size() * cpu_mask::word_bits; ++thread) {
      if (!mask.has(thread)) continue;
      const std::uint16_t group = group_of(of, static_cast<int>(thread));
      if (group == no_group || (found != no_group && found != group)) return rank_place::unknown;
      found = group;
    }
    return found;
  };
  return {common(caches_), common(numas_), common(sockets_)};
}

std::string distances::text() const {
  return text_of(caches_) + "|" + text_of(numas_) + "|" + text_of(sockets_);
}

std::string distances::text_of(const groups& of) {
  std::string text;
  std::uint16_t count = 0;
  for (const std::uint16_t each : of)
    if (each != no_group) count = std::max<std::uint16_t>(count, each + 1);
  for (std::uint16_t group = 0; group < count; ++group) {
    if (group > 0) text += ';';
    bool first = true;
    for (std::size_t at = 0; at < of.size(); ++at) {
      if (of[at] != group) continue;
      if (!first) text += ',';
      first = false;
      text += std::to_string(at);
      std::size_t last = at;
      while (last + 1 < of.size() && of[last + 1] == group) ++last;
      if (last > at) text += "-" + std::to_string(last);
      at = last;
    }
  }
  return text;
}

bool distances::read(std::string_view text, groups& into) {
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint16_t group = 0;
  while (at < end) {
    if (*at == ';') {  // the end of a group, or of none
      ++group;
      ++at;
      if (group == most_threads || at == end) return false;
      continue;
    }
    unsigned first = 0, last = 0;
    auto got = std::from_chars(at, end, first);
    if (got.ec != std::errc{}) return false;
    last = first;
    if (got.ptr < end && *got.ptr == '-') got = std::from_chars(got.ptr + 1, end, last);
    if (got.ec != std::errc{} || last < first || last >= most_threads) return false;
    for (unsigned each = first; each <= last; ++each) put(into, each, group, no_group);
    at = got.ptr;
    if (at == end || *at == ';') continue;
    if (*at != ',') return false;
    ++at;
    if (at == end || *at == ';') return false;
  }
  return true;
}

}  // namespace peal
