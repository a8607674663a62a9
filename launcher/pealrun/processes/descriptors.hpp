// launcher/pealrun/processes/descriptors.hpp
// How many files pealrun may have open. It needs several for each rank, and libpmix waits without
// an end where it gets no more; so the soft limit is raised to the hard one, and a job for which
// that is too little is refused before it starts.
//
// Layer    launcher.
// Threads  one.
// Errors   `require` throws stop.
// Source   getrlimit(2): the soft limit is there for programs that use select(2), which ranks may.
#pragma once

#include <sys/resource.h>

#include "request/request.hpp"

namespace peal::launcher {

class descriptor_limit {
 public:
  /// Raises the soft limit.
  descriptor_limit();

  /// Refuses a job that needs more than there are.
  void require(const job_request&) const;
  /// In a child: puts the soft limit back. Async-signal-safe.
  void restore() const noexcept;

 private:
  rlimit before_{};
};

}  // namespace peal::launcher
