// launcher/pealrun/report/gathered.hpp
// What the ranks of a run have noted, read from their files and put into plain units.
//
// Layer    launcher: may include record/.
// Units    seconds, bytes; times of events in nanoseconds of the steady clock.
//
// Beside the files of ranks may lie `nodes`, with lines of a rank and the name of its node, and
// `clocks` (nodes/clock_samples.hpp).
//
// Errors   a rank whose file is missing or not whole is not `known`.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/layout.hpp"

namespace peal::launcher {

/// A place of the program that calls.
struct noted_site {
  std::string call;  // as the program wrote it: allreduce, MPI_Allreduce
  std::string file;  // of sources; where `line` is 0, of the program
  std::uint32_t line = 0;
  std::uint64_t address = 0;  // in the program, where `line` is 0
  std::uint64_t calls = 0, bytes = 0;
  double handling = 0, waiting = 0, copying = 0, longest = 0;
  [[nodiscard]] double time() const { return handling + waiting + copying; }
};

struct noted_use {
  std::string collective, algorithm;
  std::size_t length = 0;  // its class
  std::uint64_t calls = 0;
  double time = 0;
};

struct noted_counter {
  std::string name, meaning;
  std::uint64_t value = 0;
};

struct noted_event {
  std::int64_t begin = 0, end = 0;
  std::uint64_t bytes = 0;
  const char* call = "";  // one of the run's names
  record::call_kind kind{};
  int peer = -1, tag = 0;
  std::uint32_t context = 0, posted = 0;
  int thread = 1;  // those of a rank are numbered from 1 on
};

struct noted_rank {
  bool known = false, ended = false;
  std::string host;
  std::string program;  // of a job of several: its number and name; else empty
  double time = 0;      // from the start of its environment to the end of it, or of what is known
  std::vector<record::peer_traffic> peers;  // by rank
  std::vector<record::length_class> lengths;
  std::vector<noted_site> sites;
  std::vector<noted_use> uses;
  std::vector<noted_counter> counters;
  std::vector<noted_event> events;
  std::uint64_t events_lost = 0, homeless = 0;
  std::uint64_t timed = 0;  // calls whose whole time was taken
  double handling = 0, waiting = 0, copying = 0;
  [[nodiscard]] double computing() const {
    const double rest = time - handling - waiting - copying;
    return rest > 0 ? rest : 0;
  }
};

struct gathered_run {
  std::vector<noted_rank> ranks;
  std::set<std::string> names;  // of calls in events
  std::string command;
  std::string ended_at;  // day and time; empty: not known
  int code = 0;          // of the job's end
  // Of several nodes: times of events are those of one clock, but for so many nanoseconds between
  // two nodes. Nothing: the clocks were not compared.
  std::optional<std::int64_t> clock_error;
};

/// From the folder of PEAL_RECORD. `events`: those too.
gathered_run gather(const std::string& folder, int ranks, bool events);

/// Of how many ranks the run was whose files are in that folder; 0: there are none.
int ranks_in(const std::string& folder);

/// As a program in C++ writes the call.
std::string name_of(record::call_kind);

}  // namespace peal::launcher
