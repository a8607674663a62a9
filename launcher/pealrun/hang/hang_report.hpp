// launcher/pealrun/hang/hang_report.hpp
// The report of a job that stands still, in words. It is written by a process of its own, which
// pealrun starts: to look up source lines takes seconds, in which pealrun serves its job.
//
// Layer    launcher.
// Units    seconds.
// Threads  one.
// Errors   none; what cannot be found out is left out.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hang/analysis.hpp"
#include "shown/snapshot.hpp"

namespace peal::launcher {

/// The first argument of a pealrun that writes a report; the second is `report_order::text`.
inline constexpr const char* hang_report_word = "--write-a-report-of-a-job-that-stands-still";

/// What the pealrun of the job knows.
struct report_order {
  pid_t launcher = 0;
  double seconds = 0;                // that nothing has moved; 0: somebody has asked
  std::map<int, std::string> ended;  // by rank: "exited with code 3"
  std::map<int, double> quiet;       // by rank: nothing has moved for so long
  [[nodiscard]] std::string text() const;
  static report_order from(const std::string&);
};

/// Stacks by rank, where there are some.
using rank_stacks = std::map<int, std::vector<std::string>>;

[[nodiscard]] std::string report_text(const diagnosis&, const job_snapshot&, double seconds,
                                      const rank_stacks& = {});

/// Looks a stack up, of a rank that does not wait in peal.
using stack_reader = std::function<std::vector<std::string>(const shown_rank&)>;
/// Between two looks, by which a rank that computes is told from one that makes calls in vain.
inline constexpr std::chrono::milliseconds between_looks{500};
/// From two looks, of which the later one has its calls resolved. `between`: seconds.
[[nodiscard]] std::string whole_report(job_snapshot now, const job_snapshot& before, double between,
                                       const report_order&, const stack_reader&);

/// What that pealrun does: returns its exit code.
int write_hang_report(const std::string& order);

}  // namespace peal::launcher
