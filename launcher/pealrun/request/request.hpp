// launcher/pealrun/request/request.hpp
// What the user asked of pealrun.
//
// Layer    launcher: may include base/, topology/, bootstrap/.
// Units    seconds.
// Errors   none; `stop` is what other parts throw.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace peal::launcher {

/// The end of pealrun before any rank started. `code`: 2 for a wrong command line, 127 and 126 as
/// shells have them for a program that is not there or cannot be run, 0 for --help and --version.
struct stop {
  int code;
  std::string text;
};

/// One program of a job; several are parted by ':' on the command line.
struct application {
  int ranks = 1;
  std::vector<std::string> arguments;  // the first is the program as the user wrote it
  std::string program;                 // the file that is executed
  std::string folder;                  // working folder; empty: pealrun's own
  std::vector<std::pair<std::string, std::string>> variables;
};

enum class failure_policy { kill, notify };
enum class binding_policy { none, core, automatic };

struct job_request {
  std::vector<application> applications;
  bool tag_output = false;
  double timeout = 0;  // 0: none
  failure_policy on_failure = failure_policy::kill;
  binding_policy bind = binding_policy::automatic;
  std::string report, trace;  // files that are written at the end; empty: none

  [[nodiscard]] int ranks() const;
  /// The application that a rank belongs to, as an index.
  [[nodiscard]] std::size_t application_of(int rank) const;
};

/// Most ranks a job may have: a descriptor or two a rank, and what libpmix has been seen to carry.
inline constexpr int most_ranks = 4096;
/// Most threads that a rank may ask for: more than any machine has.
inline constexpr int most_threads = 1 << 16;

}  // namespace peal::launcher
