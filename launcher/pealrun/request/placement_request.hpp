// launcher/pealrun/request/placement_request.hpp
// What the user asked about where ranks run.
//
// Layer    launcher.
// Units    hardware threads by the system's numbers; cores are physical cores.
// Errors   none.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace peal::launcher {

/// Over what ranks are dealt out. `slot`, `core` and `node` are the same on one node: a core after
/// the other. Others go from one cache, NUMA node or socket to the next with each rank.
enum class locality { slot, core, l3, numa, socket, node };

/// What a rank is bound to. `automatic`: to cores of its own, where that harms nobody.
enum class binding { automatic, none, core, l3, numa, socket };

struct placement_request {
  std::optional<locality> map_by;
  int cores_per_rank = 0;  // PE=n; 0: as many as the rank has threads
  std::optional<locality> rank_by;
  binding bind_to = binding::automatic;
  std::vector<int> cpu_set;   // ascending; empty: all
  std::string rankfile;       // its name; empty: none
  int ranks_per_node = 0;     // at most; 0: as many as there are
  bool oversubscribe = true;  // more ranks than cores are no error
  bool report_bindings = false;
  bool explain = false;
};

const char* name_of(locality) noexcept;
const char* name_of(binding) noexcept;
/// "0-3,8" of a list in ascending order.
std::string list_text(const std::vector<int>&);

}  // namespace peal::launcher
