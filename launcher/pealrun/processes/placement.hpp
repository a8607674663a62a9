// launcher/pealrun/processes/placement.hpp
// Which cores the ranks of a job run on. A core that one pealrun has bound a rank to is held until
// that pealrun ends, so that two jobs on one machine do not bind their ranks to the same cores
// while others are idle. Names in the abstract space are seen in one network namespace only: jobs
// in several containers would all take the same cores, so by itself pealrun binds in the host's
// namespace alone. Nor does it where the cgroup's quota is smaller than the cpuset: such a quota
// means a share of all those cores, and not some of them.
//
// Layer    launcher: may include topology/.
// Units    physical cores; a place is one rank's, each by its hardware threads.
// Threads  one.
// Errors   nothing throws but std::bad_alloc: what cannot be bound runs unbound.
// Source   network_namespaces(7). unix(7): a name in the abstract space goes away with the last
//          descriptor, also after SIGKILL.
#pragma once

#include <string>
#include <vector>

#include "request/request.hpp"

namespace peal {
class machine;
}

namespace peal::launcher {

/// Where one rank runs: its cores, each by its hardware threads.
using place = std::vector<std::vector<int>>;

class placement {
 public:
  /// Holds cores for the ranks when there are enough that are free, the quota respected; when not,
  /// or not wanted, none.
  placement(const machine&, const job_request&);
  ~placement();
  placement(const placement&) = delete;
  placement& operator=(const placement&) = delete;

  /// One place a rank; empty when ranks are not bound.
  [[nodiscard]] const std::vector<place>& places() const noexcept { return places_; }
  /// Cores that the job has for itself: those held; unbound all that it may use and no other
  /// pealrun holds, but 1 at least.
  [[nodiscard]] int cores() const noexcept { return cores_; }
  /// One line for the user when ranks must share cores; else empty.
  [[nodiscard]] const std::string& warning() const noexcept { return warning_; }

 private:
  [[nodiscard]] bool may_bind(const machine&, const job_request&) const;
  bool hold(const std::vector<int>& threads);
  void release();

  std::vector<int> held_;  // descriptors of sockets
  std::vector<place> places_;
  int cores_ = 1;
  std::string warning_;
  // There were no sockets to be had, so it is not known which cores other pealruns hold.
  bool blind_ = false;
};

/// Cores that a rank of this application wants: OMP_NUM_THREADS (its first number) where it is set,
/// else 1.
int cores_per_rank(const application&);

/// A place as OMP_PLACES has it, a core after the other: "{0,4},{1,5}".
std::string openmp_places(const place&);

}  // namespace peal::launcher
