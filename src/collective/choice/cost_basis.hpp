// collective/choice/cost_basis.hpp
// What prices rest on besides the call, alike on every rank: rank 0's cost parameters, and how many
// cores a node has for the job. Each rank tells its part in the first exchange of the job, and all
// make the same of it.
//
// Layer    collective: may include transport/contract.hpp, base/.
// Threads  any.
// Errors   none: a rank that told nothing (it died) changes nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collective/choice/cost.hpp"
#include "collective/choice/cost_parameters.hpp"
#include "transport/contract.hpp"

namespace peal {

struct cost_basis {
  std::optional<cost_parameters> costs;  // where rank 0 has a tuning file
  int cores = 0;                         // of the node that has fewest; 0: not known

  /// How these processes lie on nodes. `nodes`: by peer, what those of a node have in common;
  /// empty: there is one node. Every member of a team finds the same.
  [[nodiscard]] spread of(std::span<const peer_id> peers, std::span<const peer_id> nodes) const;
};

/// What a rank tells: how many cores its node has for the job (0: it does not know) and, where they
/// are given (on rank 0, if it has a tuning file), the costs. Without a bar.
std::string cost_note(int cores, const std::optional<cost_parameters>& costs);
/// Of what ranks told, "note|rest" each, nothing of a rank that died: takes the notes off.
cost_basis take_cost_notes(std::vector<std::optional<std::string>>& told);

}  // namespace peal
