// launcher/pealrun/placement/place.hpp
// Where one rank runs.
//
// Layer    launcher.
// Units    cores by their numbers on the node, each by its hardware threads.
// Errors   nothing throws but std::bad_alloc.
#pragma once

#include <string>
#include <vector>

#include "placement/node_cores.hpp"

namespace peal::launcher {

struct place {
  std::vector<int> cores;                 // that it is bound to, ascending
  std::vector<std::vector<int>> threads;  // of each core; none: as pealrun
  bool bound = false;                     // else it may use all of the job's cores
  bool shared = false;                    // other ranks of the job may run there too

  /// Requires: `cores` are in ascending order.
  static place at(const node_cores&, std::vector<int> cores);
  /// All hardware threads, ascending.
  [[nodiscard]] std::vector<int> all_threads() const;
  /// The value of OMP_PLACES that lists its cores one after the other: "{0,4},{1,5}". Empty where
  /// there is nothing to say: with one core, and where other ranks have the same cores, since the
  /// first threads of all of them would be bound to the first core.
  [[nodiscard]] std::string openmp_places() const;
};

}  // namespace peal::launcher
