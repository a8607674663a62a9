// launcher/info/measure.hpp
// Measures what messages, copies and reductions cost here: rank 0 with a rank of its node, and with
// one of another node where there is one.
//
// Layer    launcher: may include the API, collective/, topology/.
// Units    those of cost_parameters.
// Threads  one a rank.
// Errors   throws what the API throws.
#pragma once

#include <string>
#include <vector>

#include "collective/choice/cost_parameters.hpp"
#include "peal/communicator.hpp"

namespace peal::info {

struct measured {
  cost_parameters costs;
  bool local = false, remote = false;  // whether those parameters were measured
  std::string problem;                 // why not what was to be measured; empty: it was
};

/// Collective. What rank 0 returns counts; what is not measured is as in `before`.
measured measure(const communicator& world, const cost_parameters& before);

}  // namespace peal::info
