// launcher/pealrun/end/end_order.hpp
// In which order ranks ended. When one rank's death makes another fail, pealrun may see both at
// once, and the first is the cause.
//
// The kernel queues what has become readable in the order in which it did, and a pidfd becomes
// readable when its process ends: so an epoll set of them is a record of the order, also of ends
// while pealrun itself was stopped.
//
// Layer    launcher.
// Threads  one.
// Errors   where the kernel has no pidfd (before 5.3, or forbidden), nothing is known of a rank.
// Source   pidfd_open(2), epoll(7); proc(5) and PF_EXITING in the kernel's sched.h for `dying`.
#pragma once

#include <sys/types.h>

#include <vector>

namespace peal::launcher {

class end_order {
 public:
  explicit end_order(int ranks);
  ~end_order();
  end_order(const end_order&) = delete;
  end_order& operator=(const end_order&) = delete;

  /// A rank has started.
  void add(int rank, pid_t);
  /// The ranks that have ended since the last look, in that order.
  std::vector<int> look();
  /// Whether `look` will tell of this rank's end.
  [[nodiscard]] bool knows(int rank) const noexcept {
    return descriptors_[static_cast<std::size_t>(rank)] >= 0;
  }

 private:
  int set_;
  std::vector<int> descriptors_;  // by rank; -1: none
};

/// Whether the process is on its way out: the kernel has begun to take it apart, and other ranks
/// may have noticed, but its end is not told yet.
[[nodiscard]] bool dying(pid_t);

}  // namespace peal::launcher
