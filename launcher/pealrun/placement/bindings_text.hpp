// launcher/pealrun/placement/bindings_text.hpp
// Where each rank runs, as a table for people.
//
// Layer    launcher.
// Threads  pure.
// Errors   nothing throws but std::bad_alloc.
#pragma once

#include <string>
#include <vector>

#include "placement/node_cores.hpp"
#include "placement/place.hpp"

namespace peal::launcher {

/// A line a rank, in columns, with a picture of the cores where it fits; one line in all where
/// ranks are not bound, and `unbound` says why. Ends with a newline.
std::string bindings_text(const node_cores&, const std::vector<place>&, const std::string& unbound,
                          const std::string& host);

}  // namespace peal::launcher
