// comm/start/node_list.hpp
// Which ranks share a node, as all of them have told each other, so that every rank finds the same.
//
// Layer    comm.
// Threads  any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transport/contract.hpp"

namespace peal {

/// Of what ranks told, "lowest rank of the node|rest" each, nothing of a rank that died: takes the
/// numbers off, and returns them, by rank; a rank that died has a node of its own. Empty where
/// there is one node only.
std::vector<peer_id> take_nodes(std::vector<std::optional<std::string>>& told);

}  // namespace peal
