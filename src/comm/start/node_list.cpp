#include "comm/start/node_list.hpp"

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

}  // namespace peal
