// launcher/info/learnt.hpp
// What a running job has learnt on this node: which way its collectives and large messages go, and
// what each way took.
//
// Layer    launcher: may include collective/, transport/, base/.
// Units    bytes; nanoseconds.
// Errors   learnt_by throws std::runtime_error where the job is not to be found, or runs with
//          another version of peal; std::invalid_argument where there is no such collective.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peal::info {

struct learnt_way {
  std::string name;
  std::optional<double> rate;  // nanoseconds a byte; nothing: it was not tried so far
  bool in_use = false;
  bool by_parts = false;  // past messages, where each rank joins a part for all
  // Of an algorithm that is tried with several: of its trees, and the length of the pieces into
  // which a vector is cut.
  std::optional<int> radix = {};
  std::optional<std::size_t> piece = {};
};

/// Calls of one kind, of lengths above half of `up_to`, on one communicator.
struct learnt_calls {
  std::uint32_t communicator = 0;  // its number; 0: the world
  int ranks = 0;
  std::int64_t first_process = 0;  // that of its rank 0
  std::string collective;
  std::size_t up_to = 0;
  bool commutative = true;
  bool in_order = false;         // only ways that join from the lowest rank to the highest
  std::vector<learnt_way> ways;  // the first is the one that is usual
};

/// Large messages of lengths above `above`, up to `up_to`; 0: however long.
struct learnt_copies {
  std::size_t lane = 0;
  std::string buffers, cores;
  std::size_t above = 0, up_to = 0;
  std::vector<learnt_way> ways;
};

struct learnt_report {
  pid_t asked = 0;
  std::size_t ranks = 0;  // of the job, on this node
  std::vector<learnt_calls> calls;
  bool calls_left_out = false;  // there was no room for all
  std::vector<learnt_copies> copies;
};

/// `collective`: of this one alone, without copies; empty: of all.
learnt_report learnt_by(pid_t process, const std::string& collective);
std::string to_text(const learnt_report&);
std::string to_json(const learnt_report&);

}  // namespace peal::info
