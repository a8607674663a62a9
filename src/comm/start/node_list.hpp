// comm/start/node_list.hpp
// Which ranks share a node and where they run there, as all of them have told each other, so that
// every rank finds the same.
//
// Layer    comm.
// Threads  any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/rank_groups.hpp"
#include "transport/contract.hpp"

namespace peal {

/// Of what ranks told, "lowest rank of the node|rest" each, nothing of a rank that died: takes the
/// numbers off, and returns them, by rank; a rank that died has a node of its own. Empty where
/// there is one node only.
std::vector<peer_id> take_nodes(std::vector<std::optional<std::string>>& told);

/// What a rank tells of where it runs. Without a bar.
std::string place_note(const rank_place&);
/// Of what ranks told, "place|rest" each, nothing of a rank that died: takes the places off, and
/// returns them, by rank.
std::vector<rank_place> take_places(std::vector<std::optional<std::string>>& told);

}  // namespace peal
