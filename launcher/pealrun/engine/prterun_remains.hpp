// launcher/pealrun/engine/prterun_remains.hpp
// What a prterun that was killed leaves on its node: ranks that go on, and a folder of files.
//
// Layer    launcher.
// Threads  one, the main thread: orphans are given to it.
// Errors   none: what cannot be removed stays.
// Source   PRRTE 3.0.0: session folders are prte.HOST.UID/dvm.PID in TMPDIR, or in /tmp.
#pragma once

#include <sys/types.h>

#include "processes/strays.hpp"

namespace peal::launcher {

class prterun_remains {
 public:
  /// Made before prterun is started. From now on orphans below this process become its children.
  prterun_remains();

  /// Kills the ranks and removes the files of a prterun that has ended and was waited for.
  void end(pid_t prterun);

 private:
  strays left_behind_;
};

}  // namespace peal::launcher
