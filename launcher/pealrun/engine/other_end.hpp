// launcher/pealrun/engine/other_end.hpp
// How a job has ended that another launcher ran.
//
// Layer    launcher.
#pragma once

namespace peal::launcher {

struct other_end {
  int code = 1;                  // pealrun's exit code
  bool may_start_again = false;  // ranks have failed, which nobody asked for
};

}  // namespace peal::launcher
