// launcher/pealrun/engine/prterun_errors.hpp
// What prterun writes to its standard error, which has the errors of the ranks as well: which rank
// failed first, and what is worth a user's time.
//
// prterun frames its messages in lines of dashes. Those that tell of a failed rank are taken out,
// and everything else passes as it came.
//
// Layer    launcher.
// Threads  one.
// Errors   none: a message that is not understood is shown as it is.
// Source   help-prun.txt of PRRTE 3.0.0, and its lines as read off runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/slurm/srun_errors.hpp"

namespace peal::launcher {

class prterun_errors {
 public:
  /// Takes what has come, and gives what is to be shown of it. The begin of a line is held back
  /// only where it may be the begin of a frame.
  std::string pass(std::string_view);
  /// What was held back, when nothing follows.
  std::string rest();

  [[nodiscard]] const std::optional<rank_failure>& first() const { return first_; }
  /// prterun could not start its daemon on a host. PRRTE 3.0.0 then waits for ever.
  [[nodiscard]] bool host_missing() const { return host_missing_; }
  /// prterun has told of another failure in words that were shown.
  [[nodiscard]] bool has_told() const { return told_; }

 private:
  void take(std::string line, std::string& shown);

  std::string line_;   // without its end as yet
  bool open_ = false;  // the begin of this line was shown
  bool framed_ = false;
  std::string frame_;  // its lines
  std::optional<rank_failure> first_;
  bool host_missing_ = false;
  bool told_ = false;
};

/// The failure of which a message inside of a frame tells.
std::optional<rank_failure> failure_in_frame(const std::string&);

}  // namespace peal::launcher
