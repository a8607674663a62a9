#include "collective/choice/cost_basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>

namespace peal {

std::string cost_note(int cores, const std::optional<cost_parameters>& costs) {
  return fmt::format("{}{}", cores, costs ? "," + to_note(*costs) : "");
}

cost_basis take_cost_notes(std::vector<std::optional<std::string>>& told) {
  cost_basis made;
  for (std::size_t peer = 0; peer != told.size(); ++peer) {
    if (!told[peer]) continue;
    const std::size_t bar = std::min(told[peer]->find('|'), told[peer]->size());
    const std::string_view note = std::string_view{*told[peer]}.substr(0, bar);
    int cores = 0;
    const char* const end = std::from_chars(note.data(), note.data() + note.size(), cores).ptr;
    if (cores > 0) made.cores = made.cores > 0 ? std::min(made.cores, cores) : cores;
    if (const auto rest = static_cast<std::size_t>(end - note.data());
        peer == 0 && rest < note.size())
      made.costs = from_note(note.substr(rest + 1));
    told[peer]->erase(0, bar + 1);
  }
  return made;
}

spread cost_basis::of(std::span<const peer_id> peers, std::span<const peer_id> nodes) const {
  spread made;
  if (cores > 0) made.cores = cores;
  if (nodes.empty()) return made;
  std::unordered_map<peer_id, int> members;
  int most = 1;
  for (const peer_id each : peers) most = std::max(most, ++members[nodes[each]]);
  if (members.size() > 1) made.ranks_per_node = most;
  return made;
}

}  // namespace peal
