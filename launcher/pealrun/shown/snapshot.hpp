// launcher/pealrun/shown/snapshot.hpp
// What the ranks of a job show at one moment, as values: read out of their pages, or got as JSON
// from another node.
//
// Layer    launcher: may include state/.
// Units    seconds; bytes; ranks of the world unless a member says otherwise.
// Threads  values.
// Errors   from_json throws std::runtime_error, what is wrong with the text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "state/rank_page.hpp"

namespace peal::launcher {

struct shown_message {
  state::pending::what kind = state::pending::what::posted;
  int peer = state::nobody;
  int tag = 0;
  std::uint32_t context = 0;
  std::uint64_t bytes = 0;
  bool operator==(const shown_message&) const = default;
};

struct shown_wait {
  state::wait_kind kind = state::wait_kind::other;
  unsigned thread = 0;
  double seconds = 0;         // that it has lasted
  std::int64_t began = 0;     // names it among the waits of its thread
  int peer = state::nobody;   // of the communicator, or any_rank
  int world = state::nobody;  // the same, of the world
  int tag = 0;
  std::uint32_t context = 0;
  std::optional<std::uint64_t> bytes;
  std::string collective;  // "allreduce"; empty: not known
  int root = state::nobody;
  std::uint32_t number = 0;  // of the collective on its communicator, from 1 on
  std::vector<int> awaited;  // by the collective, at the moment
  std::vector<shown_message> messages;
  unsigned more_messages = 0;  // than these
  std::vector<std::uint64_t> frames;
  // Once the addresses are resolved.
  std::string call;   // that the user has made: "MPI_Recv"
  std::string place;  // "ring.c:12"
  std::vector<std::string> stack;
  bool operator==(const shown_wait&) const = default;
};

struct shown_communicator {
  std::uint32_t context = 0;
  int rank = 0, size = 0;
  std::uint32_t collectives = 0;  // begun
  std::string name;
  bool operator==(const shown_communicator&) const = default;
};

/// What moves; each number only grows.
struct shown_activity {
  std::uint64_t turns = 0, moves = 0, messages = 0, bytes = 0, collectives = 0;
  /// Whether the program has come further since.
  [[nodiscard]] bool moved_since(const shown_activity& before) const noexcept {
    return moves != before.moves || messages != before.messages ||
           collectives != before.collectives;
  }
  bool operator==(const shown_activity&) const = default;
};

struct shown_rank {
  int rank = 0;
  std::string host;
  long pid = 0;
  state::phase phase = state::phase::running;
  double phase_seconds = 0;
  bool helped = false;  // a helper thread polls for it
  char process = 'S';   // its state, as ps has it
  double cpu_seconds = 0;
  shown_activity activity;
  std::vector<shown_communicator> communicators;
  std::vector<shown_wait> waits;  // of each thread, the innermost
  // ---- not in its page
  std::string ended;            // how it has ended: "exited with code 3"; empty: it runs
  bool shows = true;            // there is a page
  std::optional<double> quiet;  // nothing has moved for so long
  bool loops = false;           // it makes calls meanwhile, in vain
  double steps = 0;             // a second, of its engines, that moved data while it waits

  [[nodiscard]] const shown_communicator* communicator(std::uint32_t context) const noexcept;
  /// The one that has lasted longest; null: none.
  [[nodiscard]] const shown_wait* wait() const noexcept;
  bool operator==(const shown_rank&) const = default;
};

struct job_snapshot {
  std::string job;
  int size = 0;
  std::vector<shown_rank> ranks;  // by rank; not all need be there

  [[nodiscard]] const shown_rank* find(int rank) const noexcept;
  [[nodiscard]] shown_rank* find(int rank) noexcept;
  /// A rank that is not there yet is made, and shows nothing.
  shown_rank& at(int rank);
  /// The ranks of another node. One that both have is taken from the one in which it shows
  /// something.
  void merge(job_snapshot other);
  /// Says of each rank for how long it has been quiet, or how much moves while it waits, by a
  /// snapshot of so many seconds before, and what that had found.
  void compare(const job_snapshot& before, double seconds);

  /// "world", the name that the user gave, or "communicator 32".
  [[nodiscard]] std::string name_of(std::uint32_t context) const;
};

std::string to_json(const std::vector<job_snapshot>&);
std::vector<job_snapshot> from_json(std::string_view);

}  // namespace peal::launcher
