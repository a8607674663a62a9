// launcher/pealrun/placement/mapping.hpp
// From the cores of a node and what the user asked to a place for each rank. Nothing is looked up
// and nothing is held here, so that every machine can be tried in a test.
//
// Layer    launcher.
// Units    physical cores.
// Threads  pure.
// Errors   throws stop when what was asked cannot be: too few cores with --no-oversubscribe, a
//          cpuset without a core, a rank that is wider than a NUMA node.
#pragma once

#include <string>
#include <vector>

#include "placement/node_cores.hpp"
#include "placement/place.hpp"
#include "placement/rankfile.hpp"
#include "request/request.hpp"

namespace peal::launcher {

/// What one program of the job wants.
struct program_wish {
  int ranks = 1;
  int cores = 1;        // a rank
  bool stated = false;  // by --threads, OMP_NUM_THREADS or PE=n
};

/// How the node is at the moment.
struct node_state {
  int quota = 0;           // cores that may be busy at a time
  std::vector<bool> held;  // by number: another pealrun has bound a rank to that core
  bool blind = false;      // that cannot be found out
  std::string objection;   // why nothing is bound unless it is asked for; empty: it may be
  std::string host;        // its name
};

struct mapping {
  std::vector<place> places;  // of each rank
  int cores = 1;              // that the job has for itself; 1 at least
  std::string warning;        // a line for the user when ranks share cores; else empty
  std::string unbound;        // why ranks are not bound; empty: they are
};

/// The cores that the job may use: those of --cpu-set.
node_cores cores_for(const node_cores&, const placement_request&);

/// `node`: what cores_for gave. `lines`: of the rankfile; empty without one.
mapping map_ranks(const node_cores& node, const placement_request&,
                  const std::vector<program_wish>&, const node_state&,
                  const std::vector<rankfile_line>& lines = {});

}  // namespace peal::launcher
