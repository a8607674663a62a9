// launcher/pealrun/placement/placement.hpp
// Which cores the ranks of a job run on: looks at the machine and at what other jobs hold, lets
// mapping.hpp decide, and holds the cores that ranks are bound to.
//
// Names of held cores are seen in one network namespace only: jobs in several containers would all
// take the same cores, so by itself pealrun binds in the host's namespace alone. Nor does it where
// the cgroup's quota is smaller than the cpuset: such a quota means a share of all those cores, and
// not some of them.
//
// Layer    launcher: may include topology/.
// Units    physical cores.
// Threads  one.
// Errors   the constructor throws stop when what was asked cannot be. What cannot be bound by
//          pealrun's own choice runs unbound.
// Source   network_namespaces(7).
#pragma once

#include <string>
#include <vector>

#include "placement/held_cores.hpp"
#include "placement/mapping.hpp"
#include "placement/node_cores.hpp"
#include "placement/place.hpp"
#include "request/request.hpp"

namespace peal {
class machine;
}

namespace peal::launcher {

class placement {
 public:
  placement(const machine&, const job_request&);

  /// One a rank.
  [[nodiscard]] const std::vector<place>& places() const noexcept { return made_.places; }
  /// Cores that the job has for itself: those that ranks are bound to; unbound all that it may use
  /// and no other pealrun holds, but 1 at least.
  [[nodiscard]] int cores() const noexcept { return made_.cores; }
  /// One line for the user when ranks must share cores; else empty.
  [[nodiscard]] const std::string& warning() const noexcept { return made_.warning; }
  /// Where each rank runs, for people.
  [[nodiscard]] std::string text() const;

 private:
  void look_at_held();

  node_cores node_;
  node_state state_;
  mapping made_;
  held_cores held_;
};

/// What the programs of the job want: PE=n cores a rank, else as many as OMP_NUM_THREADS says (its
/// first number), else 1.
std::vector<program_wish> wishes_of(const job_request&);

}  // namespace peal::launcher
