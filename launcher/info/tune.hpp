// launcher/info/tune.hpp
// peal-info --tune: measures the cost parameters of this machine, and leaves them in the tuning
// file. Run without a launcher it starts itself anew with two ranks of this machine; run by one it
// measures between the ranks that there are.
//
// Layer    launcher: may include the API, collective/, base/.
// Errors   throws std::runtime_error, peal::error.
#pragma once

#include <string>

#include "collective/choice/cost_parameters.hpp"

namespace peal::info {

/// What to print: nothing on ranks other than 0.
std::string tune(int count, char** words, bool json);

/// What was measured and written to that file, for programs (json.cpp).
std::string to_json(const cost_parameters&, bool inside_a_node, bool between_nodes,
                    const std::string& file);

}  // namespace peal::info
