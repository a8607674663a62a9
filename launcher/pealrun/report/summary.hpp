// launcher/pealrun/report/summary.hpp
// What a run's report says first, in sentences.
//
// Layer    launcher.
// Units    seconds.
// Errors   none.
#pragma once

#include <string>
#include <vector>

#include "report/gathered.hpp"
#include "report/places.hpp"

namespace peal::launcher {

/// Sums over the ranks that are known.
struct time_sums {
  double time = 0, computing = 0, waiting = 0, copying = 0, handling = 0;
  double longest_computing = 0, mean_computing = 0;
  int longest_computing_rank = -1;
  int known = 0;
  /// How much of the longest computing time the mean is short of: 0 where all compute alike.
  [[nodiscard]] double imbalance() const {
    return longest_computing > 0 ? 1 - mean_computing / longest_computing : 0;
  }
};
time_sums sums_of(const gathered_run&);

/// What the ranks of a node do together.
struct node_sum {
  std::string name;
  std::vector<int> ranks;
  double time = 0, computing = 0, waiting = 0;
  // Bytes of messages, also of those that collectives send: within the node, and to other ones.
  std::uint64_t within = 0, sent = 0;
};
/// By their first ranks; ranks that are not known are on none.
std::vector<node_sum> nodes_of(const gathered_run&);

/// A place of the program, of all ranks.
struct place_sum {
  std::string call, where;
  std::uint64_t calls = 0, bytes = 0;
  double time = 0, waiting = 0, longest = 0;
  int ranks = 0;
};
/// The slowest first.
std::vector<place_sum> slowest_places(const gathered_run&, const places&);

/// A counter's sum and extremes.
struct counter_sum {
  std::string name, meaning;
  std::uint64_t sum = 0, least = 0, most = 0;
  int most_rank = -1;
};
std::vector<counter_sum> counters_of(const gathered_run&);

/// Sentences, as plain text.
std::vector<std::string> summary_of(const gathered_run&, const std::vector<place_sum>& slowest);

}  // namespace peal::launcher
