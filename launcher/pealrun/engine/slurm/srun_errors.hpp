// launcher/pealrun/engine/slurm/srun_errors.hpp
// What srun writes about a job: which rank failed first, and what is worth a user's time.
//
// Layer    launcher.
// Threads  one.
// Errors   none: a line that is not understood is shown as it is.
// Source   lines of srun 22.05 (launch_slurm.c, srun_job.c), read off runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace peal::launcher {

struct rank_failure {
  std::string ranks;  // as Slurm has them: "3", "0-1,4"
  std::string host;
  int code = 1;    // exit code, or 128 and the signal
  int signal = 0;  // that killed it; 0: none
  bool core = false;
  std::string text;  // what srun says, where it is neither a code nor a signal
};

class srun_errors {
 public:
  /// A line without its newline. True when it is to be shown: what follows from the first failure,
  /// and news of srun's own doings, are not.
  bool take(std::string_view line);
  [[nodiscard]] const std::optional<rank_failure>& first() const { return first_; }
  /// Lines about connections that broke, which daemons leave that were killed. They are to be shown
  /// where nothing else says why the job has ended.
  [[nodiscard]] const std::string& kept_back() const { return kept_back_; }

 private:
  std::string kept_back_;
  std::optional<rank_failure> first_;
};

/// "rank 3 on n1 (./solver) exited with code 3".
std::string describe(const rank_failure&, const std::string& program);

}  // namespace peal::launcher
