// launcher/pealrun/nodes/node_watch.hpp
// What pealrun's helper process does for a job of Slurm's: asks the agents of its nodes, reports a
// job that stands still, compares clocks, and fetches what ranks have noted. pealrun serves its job
// meanwhile; it gives orders by lines on the helper's standard input, and reads lines of its
// output. The helper ends with its input.
//
// Layer    launcher.
// Units    seconds.
// Threads  one.
// Errors   told in one line on standard error, once each; the job goes on.
#pragma once

#include <string>

namespace peal::launcher {

/// The first argument of a pealrun that is this helper; the second is `watch_order::text`.
inline constexpr const char* node_watch_word = "--watch-the-nodes-of-a-job";

struct watch_order {
  std::string step;       // its name
  std::string job;        // Slurm's number; empty: the step's name is that of a job as well
  double hang_after = 0;  // 0: never
  std::string on_nodes;   // folder for what ranks note; empty: they do not
  std::string here;       // the folder of this host where it is put
  [[nodiscard]] std::string text() const;
  static watch_order from(const std::string&);
  bool operator==(const watch_order&) const = default;
};

// What pealrun says, in a line.
inline constexpr const char* order_report = "report";
inline constexpr const char* order_collect = "collect";
// What it is told, in a line: ranks may start; that they may not, and why; all is here; what is
// missing.
inline constexpr const char* told_ready = "ready";
inline constexpr const char* told_failed = "failed ";
inline constexpr const char* told_collected = "collected";
inline constexpr const char* told_missing = "missing ";

/// Returns the exit code.
int watch_nodes(const std::string& order);

}  // namespace peal::launcher
