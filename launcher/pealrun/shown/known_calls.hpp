// launcher/pealrun/shown/known_calls.hpp
// Calls and source lines of waits, each looked up once.
//
// Layer    launcher.
// Threads  one.
// Errors   none: what cannot be found is left empty.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "shown/snapshot.hpp"

namespace peal::launcher {

class known_calls {
 public:
  void fill(job_snapshot&);

 private:
  std::map<std::pair<long, std::int64_t>, shown_wait> all_;  // by process and beginning
};

}  // namespace peal::launcher
