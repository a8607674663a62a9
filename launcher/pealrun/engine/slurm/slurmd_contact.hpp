// launcher/pealrun/engine/slurm/slurmd_contact.hpp
// Whether a node's slurmd takes connections: a kernel does that for it, also while the node is busy
// beyond measure or the daemon is stopped.
//
// Layer    launcher.
// Threads  one.
// Errors   none: what cannot be found out is taken for a slurmd that is there.
// Source   scontrol(1): show node; connect(2).
#pragma once

#include <optional>
#include <string>

namespace peal::launcher {

struct slurmd_place {
  std::string address, port;
  bool operator==(const slurmd_place&) const = default;
};

/// Read off a node as "scontrol --oneliner show node" writes it. Nothing where that says too
/// little.
std::optional<slurmd_place> place_of_slurmd(const std::string& text);

/// Takes some seconds where the node does not answer at all.
bool slurmd_is_gone(const std::string& node);

/// Nobody takes connections there, by two attempts.
bool nobody_listens(const slurmd_place&);

}  // namespace peal::launcher
