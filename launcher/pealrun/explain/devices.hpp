// launcher/pealrun/explain/devices.hpp
// Which RDMA devices each rank would use: a rank and peal-info ask the same functions.
//
// Layer    launcher: may include topology/, transport/verbs/setup/.
// Threads  the process must have no other one: affinity and environment change for a moment.
// Errors   none: what is wrong stands in the lines.
#pragma once

#include <string>
#include <vector>

#include "placement/place.hpp"
#include "request/request.hpp"

namespace peal::launcher {

/// A line for ranks that use the same: "ranks 0-3  mlx5_0:1, GID 3 (near, RoCE v2)".
std::vector<std::string> devices_of_ranks(const job_request&, const std::vector<place>&);

}  // namespace peal::launcher
