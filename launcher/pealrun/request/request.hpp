// launcher/pealrun/request/request.hpp
// What the user asked of pealrun.
//
// Layer    launcher: may include base/, topology/, bootstrap/.
// Units    seconds.
// Errors   none; `stop` is what other parts throw.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "request/placement_request.hpp"

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

enum class failure_policy { kill, notify, go_on };
enum class engine_policy { automatic, local, slurm, prrte };
enum class input_policy { none, one, all };  // which ranks have pealrun's standard input

/// What becomes of what ranks read and write.
struct stream_request {
  bool tag = false;        // the rank before each line
  bool timestamp = false;  // the time before each line
  bool merge = false;      // errors go where the output goes
  std::string folder;      // for files of what ranks write; empty: none
  input_policy input = input_policy::one;
  int input_rank = 0;  // of input_policy::one
};

/// An option as it was given before the first program, with its longest name.
struct given_option {
  std::string name;
  std::vector<std::string> values;  // of a flag: one, "true"
};

struct job_request {
  std::vector<application> applications;
  stream_request streams;
  double timeout = 0;     // 0: none
  double hang_after = 0;  // 0: never
  failure_policy on_failure = failure_policy::kill;
  std::string report, trace;  // files that are written at the end; empty: none
  int restarts = 0;           // how often the job is started again after a failure, at most
  placement_request placement;
  engine_policy engine = engine_policy::automatic;
  int nodes = 0;          // 0: not said
  std::string hosts;      // NAME[:SLOTS],...; empty: not said
  std::string host_file;  // empty: not said
  // For engines that hand the job to another launcher: none that they do not know may be lost.
  std::vector<given_option> given;

  [[nodiscard]] int ranks() const;
  /// The application that a rank belongs to, as an index.
  [[nodiscard]] std::size_t application_of(int rank) const;
  /// What was given for an option, the last value of it; nullptr when it was not given.
  [[nodiscard]] const std::string* given_for(std::string_view name) const;
};

/// Most ranks a job may have: a descriptor or two a rank, and what libpmix has been seen to carry.
inline constexpr int most_ranks = 4096;
/// Most threads that a rank may ask for: more than any machine has.
inline constexpr int most_threads = 1 << 16;

}  // namespace peal::launcher
