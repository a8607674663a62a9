// launcher/pealrun/placement/held_cores.hpp
// Cores that a pealrun has bound ranks to are held until it ends, so that two jobs on one machine
// do not bind their ranks to the same cores while others are idle. Names in the abstract space are
// seen in one network namespace only.
//
// Layer    launcher.
// Units    cores by their hardware threads, the system's numbers.
// Threads  one.
// Errors   nothing throws but std::bad_alloc.
// Source   unix(7): a name in the abstract space goes away with the last descriptor, also after
//          SIGKILL.
#pragma once

#include <vector>

namespace peal::launcher {

/// Two pealruns that took turns core by core could both end with too few. A pealrun that waits in
/// vain goes on without its turn: the worst is an unbound job.
class core_turn {
 public:
  core_turn();
  ~core_turn();
  core_turn(const core_turn&) = delete;
  core_turn& operator=(const core_turn&) = delete;

 private:
  int held_ = -1;
};

class held_cores {
 public:
  held_cores() = default;
  ~held_cores();
  held_cores(const held_cores&) = delete;
  held_cores& operator=(const held_cores&) = delete;

  /// Every hardware thread by itself: a job that may use only the other thread of a core sees the
  /// core as its own. False: another pealrun has one of them, or no sockets are to be had.
  bool hold(const std::vector<int>& threads);
  void release();
  /// There were no sockets to be had, so it is not known which cores other pealruns hold.
  [[nodiscard]] bool blind() const noexcept { return blind_; }

 private:
  std::vector<int> held_;  // descriptors of sockets
  bool blind_ = false;
};

}  // namespace peal::launcher
