// bootstrap/deaths.hpp
// Ranks whose death the launcher has told, and those of which another rank says that it does not
// reach them.
//
// Layer    bootstrap: may include base/.
// Threads  any.
// Errors   none but std::bad_alloc.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "peal/failure.hpp"

namespace peal {

/// A rank that has died or cannot be reached.
struct rank_failure {
  int rank = -1;
  failure_cause why = failure_cause::signal;
  int code = 0;         // the signal or the exit code; 0: not told
  bool silent = false;  // the program is not to be told
};

/// `by` has given `peer` up, which it does not reach. That says little of the peer: the adapter of
/// `by` may be broken.
struct unreachable_report {
  int by = -1, peer = -1;
};

/// Filled by threads of PMIx or by one that listens, fetched by the program's. One for the process,
/// since PMIx too is one for the process and its handlers may run late.
struct death_list {
  std::atomic<bool> filled{false}, reported{false};
  std::mutex lock;     // guards what follows
  std::string job;     // empty: no job listens
  std::set<int> dead;  // all ever heard of
  std::vector<rank_failure> not_fetched;
  std::vector<unreachable_report> reports;  // likewise
  std::function<void()> tell;
};

/// Never destroyed: such a thread may outlive static objects.
death_list& deaths();
/// Tells of a death, wherever it was heard of.
void note_death(std::string_view job, const rank_failure& of);
/// Tells of a report of another rank.
void note_report(std::string_view job, const unreachable_report&);
[[nodiscard]] bool somebody_died();
/// Forgets what was told of another job.
void begin_to_hear(const std::string& job);

}  // namespace peal
