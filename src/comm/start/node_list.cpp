#include "comm/start/node_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace peal {

std::vector<peer_id> take_nodes(std::vector<std::optional<std::string>>& told) {
  std::vector<peer_id> nodes(told.size());
  for (std::size_t rank = 0; rank != told.size(); ++rank) {
    nodes[rank] = static_cast<peer_id>(rank);
    if (!told[rank]) continue;
    std::string& text = *told[rank];
    const std::size_t bar = std::min(text.find('|'), text.size());
    std::from_chars(text.data(), text.data() + bar, nodes[rank]);
    text.erase(0, bar + 1);
  }
  if (std::ranges::all_of(nodes, [&](peer_id each) { return each == nodes.front(); }))
    nodes.clear();
  return nodes;
}

std::string place_note(const rank_place& of) {
  return fmt::format("{}.{}.{}", of.cache, of.numa, of.socket);
}

std::vector<rank_place> take_places(std::vector<std::optional<std::string>>& told) {
  std::vector<rank_place> places(told.size());
  for (std::size_t rank = 0; rank != told.size(); ++rank) {
    if (!told[rank]) continue;
    std::string& text = *told[rank];
    const std::size_t bar = std::min(text.find('|'), text.size());
    const char* const end = text.data() + bar;
    rank_place& place = places[rank];
    const char* at = text.data();
    for (std::uint16_t* const each : {&place.cache, &place.numa, &place.socket}) {
      at = std::from_chars(at, end, *each).ptr;
      if (at == end) break;
      ++at;
    }
    text.erase(0, bar + 1);
  }
  return places;
}

}  // namespace peal
